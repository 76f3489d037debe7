// Starts `hardbop lsp` and connects it. The commands of code lenses are registered by the client
// itself, since the server announces them; the ones here are for the command palette.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["boolean-program", "guarded-program", "fixpoint-calculus", "hardbop-monitor"];

let client;

async function activate(context) {
  const settings = vscode.workspace.getConfiguration("hardbop");
  client = new LanguageClient(
    "hardbop",
    "hardbop",
    { command: settings.get("path"), args: ["lsp"] },
    {
      documentSelector: LANGUAGES.map((language) => ({ language })),
      initializationOptions: { checkSeconds: settings.get("checkSeconds") },
    }
  );
  const onActiveFile = (command) => async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !LANGUAGES.includes(editor.document.languageId)) {
      return;
    }
    try {
      const answer = await client.sendRequest("workspace/executeCommand", {
        command,
        arguments: [editor.document.uri.toString()],
      });
      vscode.window.setStatusBarMessage(`hardbop: ${answer.summary}`, 10000);
    } catch (error) {
      vscode.window.showWarningMessage(`hardbop: ${error.message}`);
    }
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("hardbop.checkFile", onActiveFile("hardbop.checkAll")),
    vscode.commands.registerCommand("hardbop.coverageOfFile", onActiveFile("hardbop.coverage")),
    client
  );
  await client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
