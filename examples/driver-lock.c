// A driver that hands packets to a device under a lock, and tries again while the device is busy.
// On that way it forgets that it still has the lock.
//
//   hardbop check examples/driver-lock.c
//
// Answers: VIOLATED, in acquire; the assertion in release holds.

extern int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int condition);

enum status { DONE, BUSY, FAILED };

static int locked = 0;
static int errors = 0;

static void acquire(void) {
  __VERIFIER_assert(!locked);
  locked = 1;
}

static void release(void) {
  __VERIFIER_assert(locked);
  locked = 0;
}

static enum status transmit(void) {
  int answer = __VERIFIER_nondet_int();

  if (answer > 0)
    return BUSY;
  return answer == 0 ? DONE : FAILED;
}

int main(void) {
  enum status status;

  do {
    acquire();
    status = transmit();
    if (status == BUSY)
      continue;
    if (status == FAILED)
      errors++;
    release();
  } while (status != DONE);
  return errors;
}
