static int hb_next_random(void) {
  hb_state = hb_state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)(hb_state >> 33);
}

/* Small numbers and the ends of types are more likely than others. */
static long long hb_random(void) {
  int kind = hb_next_random() & 7;
  long long number = hb_next_random() & 15;
  switch (kind) {
  case 0: case 1: case 2: return number;
  case 3: return -number;
  case 4: return 1ll << (hb_next_random() & 63);
  case 5: return (1ll << (hb_next_random() & 31)) - 1;
  default: return ((long long)hb_next_random() << 31) ^ hb_next_random();
  }
}

static int hb_are_same(const char *one, const char *other) {
  while (*one && *one == *other)
    one++, other++;
  return *one == *other;
}

/* The next value of an input; 0 once the execution has no more. */
static long long hb_take(const char *what, int line) {
  if (hb_is_random)
    return hb_random();
  for (int i = 0; i < hb_count; i++)
    if (!hb_is_used[i] && hb_are_same(hb_inputs[i].what, what)
        && (line == 0 || hb_inputs[i].line == 0 || hb_inputs[i].line == line)) {
      hb_is_used[i] = 1;
      return hb_inputs[i].value;
    }
  return 0;
}

static void hb_print(const char *text) {
  unsigned long length = 0;
  while (text[length])
    length++;
  hb_write(1, text, length);
}

static void hb_end(const char *what, int line) {
  char digits[12];
  int first = 11;
  digits[first] = 0;
  do {
    digits[--first] = '0' + line % 10;
    line /= 10;
  } while (line > 0 && first > 0);
  hb_print("hardbop: ");
  hb_print(what);
  hb_print(" at line ");
  hb_print(digits + first);
  hb_print("\n");
  hb_exit(86);
}
