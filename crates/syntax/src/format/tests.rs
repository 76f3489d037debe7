//! What formatted programs look like.

use crate::ast::Form;
use crate::diagnostic::has_errors;
use crate::parser::parse_as;
use crate::source::Source;

fn check(text: &str, expected: &str) {
    let once = formatted(text);
    assert_eq!(once, expected);
    assert_eq!(formatted(&once), once, "formatting again changes it");
}

fn formatted(text: &str) -> String {
    let source = Source::new("test.bp", text);
    let parsed = parse_as(&source, Form::Procedures);
    assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
    super::format(&parsed.ast, &source)
}

#[test]
fn statements_are_laid_out_one_per_line() {
    check(
        "decl g,h:=0; decl int<4> n;\nbool<2> f(a,int<4> k) begin decl x; enforce g|h; L:M: x:=a;\nif(x)then return x,1;elsif * then skip; else goto L,M; fi while !x do x,g:=schoose[x,g],* constrain 'x&g; od _,x:=f(x,n+1); E: end",
        "decl g, h := 0;
decl int<4> n;

bool<2> f(a, int<4> k) begin
  decl x;
  enforce g | h;
  L: M: x := a;
  if (x) then
    return x, 1;
  elsif * then
    skip;
  else
    goto L, M;
  fi
  while !x do
    x, g := schoose[x, g], * constrain 'x & g;
  od
  _, x := f(x, n + 1);
  E:
end
",
    );
}

#[test]
fn words_and_arrays_keep_their_spelling() {
    check(
        "decl int<8> a[0x3]:=0,b[2];\nvoid main() begin a[b[0]],_ := signed(a[1])>>1, *; a[2]:=int<8>(signed(b[0]))/ -0xFf%~b[1]<<1; assert(bool(b[0])&signed(a[0])<-1); end",
        "decl int<8> a[3] := 0, b[2];

void main() begin
  a[b[0]], _ := signed(a[1]) >> 1, *;
  a[2] := int<8>(signed(b[0])) / -0xff % ~b[1] << 1;
  assert(bool(b[0]) & signed(a[0]) < -1);
end
",
    );
}

#[test]
fn comments_stay_where_they_belong() {
    check(
        "// head\n\n\ndecl g; // the global\n/* before main */\nvoid main() begin // opens\n  // first\n  skip; // behind\n  if (g /* inside */ & g) then // yes\n    skip;\n    // last of then\n  else // no\n    skip;\n  fi // done\n\n  // before end\nend // over\n// tail\n",
        "// head

decl g; // the global
/* before main */
void main() begin // opens
  // first
  skip; // behind
  /* inside */
  if (g & g) then // yes
    skip;
    // last of then
  else // no
    skip;
  fi // done

  // before end
end // over
// tail
",
    );
}

#[test]
fn threads_and_their_statements() {
    check(
        "decl s; thread_local decl t; thread adder(2) begin decl mine; void main() begin atomic_begin;\n mine:=s; atomic_end; start_thread goto L; L: start_thread f(mine); end_thread; end end void f(x) begin dead x; havoc s; abortif x; print(x,s); constrain(x); assume x; call f(x); end",
        "decl s;
thread_local decl t;

thread adder(2) begin
  decl mine;

  void main() begin
    atomic_begin;
    mine := s;
    atomic_end;
    start_thread goto L;
    L: start_thread f(mine);
    end_thread;
  end
end

void f(x) begin
  dead x;
  havoc s;
  abortif x;
  print(x, s);
  constrain(x);
  assume x;
  call f(x);
end
",
    );
}

#[test]
fn wide_statements_are_broken_after_commas_and_operators() {
    let names: Vec<String> = (0..12).map(|i| format!("variable_{i}")).collect();
    let text = format!("decl {};", names.join(","));
    check(
        &text,
        "decl variable_0, variable_1, variable_2, variable_3, variable_4, variable_5, variable_6, variable_7,
    variable_8, variable_9, variable_10, variable_11;
",
    );
}

#[test]
fn an_empty_guarded_block_keeps_its_labels_apart_from_those_of_the_next() {
    let guarded = |text: &str| {
        let source = Source::new("test.gp", text);
        let parsed = parse_as(&source, Form::GuardedBlocks);
        assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
        super::format(&parsed.ast, &source)
    };
    let once = guarded("A: B:; C: D:");
    assert_eq!(once, "A: B: ;\nC: D:\n");
    assert_eq!(guarded(&once), once);
}
