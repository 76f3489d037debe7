/* Replays a trace that `record` has written with CUDD, and prints processor time in microseconds,
 * nodes, and a digest of the sizes of what is left, as `src/trace.rs` computes it.
 *
 * Built and used only where CUDD is installed:
 *   cc -O2 -o replay-cudd replay.c -lcudd -lm
 * Relational products are and-exists, then a permutation of variables. Reordering is off.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cudd.h>

typedef struct {
    DdNode *cube;
    int *permutation; /* null if nothing is renamed */
} Plan;

static DdManager *manager;
static DdNode **functions;
static Plan *plans;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static DdNode *get(long handle) {
    DdNode *f = functions[handle / 2];
    if (f == NULL) fail("a handle without a line");
    return Cudd_NotCond(f, handle & 1);
}

/* A function for a handle: new, or the same as before. Takes over one reference. */
static void set(long handle, DdNode *f) {
    DdNode **at = &functions[handle / 2];
    if (f == NULL) fail("CUDD has run out");
    f = Cudd_NotCond(f, handle & 1);
    if (*at == NULL) {
        *at = f;
    } else {
        if (*at != f) fail("CUDD differs");
        Cudd_RecursiveDeref(manager, f);
    }
}

static DdNode *referenced(DdNode *f) {
    if (f != NULL) Cudd_Ref(f);
    return f;
}

/* What becomes of the variables as a permutation: what is renamed onto goes to what was left. */
static Plan plan(long count, const long *pairs, int variables) {
    Plan made = {referenced(Cudd_ReadOne(manager)), NULL};
    int *permutation = malloc(sizeof(int) * variables);
    char *taken = calloc(variables, 1);
    int renames = 0;
    for (int v = 0; v < variables; v++) permutation[v] = -1;
    for (long i = 0; i < count; i++) {
        long from = pairs[2 * i], to = pairs[2 * i + 1];
        if (to < 0) {
            DdNode *cube = referenced(Cudd_bddAnd(manager, made.cube, Cudd_bddIthVar(manager, from)));
            Cudd_RecursiveDeref(manager, made.cube);
            made.cube = cube;
        } else {
            permutation[from] = to;
            taken[to] = 1;
            renames++;
        }
    }
    for (int v = 0; v < variables; v++)
        if (permutation[v] < 0 && !taken[v]) {
            permutation[v] = v;
            taken[v] = 1;
        }
    for (int v = 0, left = 0; v < variables; v++)
        if (permutation[v] < 0) {
            while (taken[left]) left++;
            permutation[v] = left;
            taken[left] = 1;
        }
    free(taken);
    if (renames > 0) made.permutation = permutation;
    return made;
}

static DdNode *image(const Plan *plan, DdNode *f, DdNode *g) {
    DdNode *product = referenced(Cudd_bddAndAbstract(manager, f, g, plan->cube));
    if (product == NULL || plan->permutation == NULL) return product;
    DdNode *renamed = referenced(Cudd_bddPermute(manager, product, plan->permutation));
    Cudd_RecursiveDeref(manager, product);
    return renamed;
}

typedef struct {
    char letter;
    int count;
    long *numbers;
} Line;

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) fail("usage: replay-cudd TRACE");
    Line *lines = NULL;
    size_t line_count = 0, line_room = 0, text_room = 0;
    long handles = 1, plan_count = 0;
    int variables = 0;
    char *text = NULL;
    while (getline(&text, &text_room, file) > 0) {
        if (line_count == line_room) lines = realloc(lines, sizeof(Line) * (line_room = 2 * line_room + 64));
        Line line = {text[0], 0, malloc(sizeof(long) * (strlen(text) / 2 + 1))};
        char *at = text + 1;
        for (char *end;; at = end) {
            long number = strtol(at, &end, 10);
            if (end == at) break;
            line.numbers[line.count++] = number;
        }
        if (line.letter == 'v' && line.numbers[0] >= variables) variables = line.numbers[0] + 1;
        if (line.letter == 'p') {
            plan_count++;
            for (int i = 2; i < line.count; i++)
                if (line.numbers[i] >= variables) variables = line.numbers[i] + 1;
        } else if (line.letter != 'g' && line.numbers[line.count - 1] / 2 >= handles) {
            handles = line.numbers[line.count - 1] / 2 + 1;
        }
        lines[line_count++] = line;
    }
    manager = Cudd_Init(variables, 0, CUDD_UNIQUE_SLOTS, CUDD_CACHE_SLOTS, 0);
    functions = calloc(handles, sizeof(DdNode *));
    plans = calloc(plan_count + 1, sizeof(Plan));
    functions[0] = referenced(Cudd_ReadOne(manager));
    char *kept = malloc(handles);

    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (size_t i = 0; i < line_count; i++) {
        const long *n = lines[i].numbers;
        switch (lines[i].letter) {
        case 'v': set(n[1], referenced(Cudd_bddIthVar(manager, n[0]))); break;
        case 'a': set(n[2], referenced(Cudd_bddAnd(manager, get(n[0]), get(n[1])))); break;
        case 'x': set(n[2], referenced(Cudd_bddXor(manager, get(n[0]), get(n[1])))); break;
        case 'i': set(n[3], referenced(Cudd_bddIte(manager, get(n[0]), get(n[1]), get(n[2])))); break;
        case 'e': set(n[3], image(&plans[n[0]], get(n[1]), get(n[2]))); break;
        case 'l':
        case 'h': {
            DdNode *f = get(n[0]), *regular = Cudd_Regular(f);
            DdNode *child = lines[i].letter == 'l' ? Cudd_E(regular) : Cudd_T(regular);
            set(n[1], referenced(Cudd_NotCond(child, Cudd_IsComplement(f))));
            break;
        }
        case 'p': plans[n[0]] = plan(n[1], n + 2, variables); break;
        case 'g':
            memset(kept, 0, handles);
            kept[0] = 1;
            for (long r = 0; r < n[0]; r++) kept[n[1 + r] / 2] = 1;
            for (long h = 0; h < handles; h++)
                if (!kept[h] && functions[h] != NULL) {
                    Cudd_RecursiveDeref(manager, functions[h]);
                    functions[h] = NULL;
                }
            break;
        default: fail("a line that is not replayed");
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);

    uint64_t digest = 0;
    for (long h = 0; h < handles; h++)
        if (functions[h] != NULL) {
            /* Cudd_DagSize counts the constant. */
            uint64_t size = Cudd_DagSize(functions[h]) - 1;
            digest = ((digest << 7 | digest >> 57) * 31) ^ size;
        }
    long microseconds = (end.tv_sec - start.tv_sec) * 1000000 + (end.tv_nsec - start.tv_nsec) / 1000;
    printf("%ld %ld %llu\n", microseconds, Cudd_ReadKeys(manager) + 0L, (unsigned long long)digest);
    return 0;
}
