typedef unsigned char byte;
enum color { RED, GREEN = 4, BLUE };
struct point { int x; byte y[3]; };
static struct point origin = {1, {2, 3}}, other;
int table[2][3], g = 7;
extern int __VERIFIER_nondet_int(void);
int unknown(int);
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static void set(int *p, int v) { if (p) *p = v; }
static int next(void) { static int n = 3; return n++; }
int main(int argc, char **argv) {
  int a[4] = {1, 2}, i, *p = &g, q = 5;
  long sum = 0;
  for (i = 0; i < 4; ++i) { if (i == 2) continue; sum += a[i] << 2; }
  do { i--; } while (i > 0 && next() != 5);
  switch (unknown(q) % 3) { case 0: q++; case 1: q = -q; break; default: q ^= 0x0F; }
  other = origin;
  other.y[i & 1] = (byte)(q + 200);
  table[1][i & 1] = fact(3) / (q | 1);
  set(p, __VERIFIER_nondet_int());
  set(&a[1], ({ int t = q; t * 2; }));
  while (__VERIFIER_nondet_int()) { int fresh; if (fresh == BLUE) break; }
  __VERIFIER_assume(sum > 0);
  __VERIFIER_assert(*p != 4 || (g == 4, 1));
  if (argc > 3 && sum >> 1 == 2) goto ERROR;
  return (int)sizeof(struct point *) + p[0];
ERROR: return 1;
}
