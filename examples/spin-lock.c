// A driver that takes a spin lock of its kernel, which is only declared here, on each of its ways.
// One of them returns without giving it back. The rule is in examples/spin-lock.mon.
//
//   hardbop check examples/spin-lock.c --monitor examples/spin-lock.mon
//
// Answers: VIOLATED.

enum lock { QUEUE };

extern void KeAcquireSpinLock(enum lock lock);
extern void KeReleaseSpinLock(enum lock lock);
extern int next_request(void);

static int length = 0;

static int put(int request) {
  KeAcquireSpinLock(QUEUE);
  if (length == 2)
    return -1;
  length++;
  KeReleaseSpinLock(QUEUE);
  return 0;
}

int main(void) {
  int request;

  while ((request = next_request()) != 0)
    if (put(request) < 0)
      put(request);
  return 0;
}
