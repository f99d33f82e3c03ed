/** Limits of one evaluation. JSONata checks its own only between steps; a step that takes too long ends the thread. */

/** ms, nested calls, members of a sequence. */
export const ofJsonata = { timeout: 250, stack: 500, sequence: 100_000 }

/** The thread is ended after this time, ms. */
export const hardMs = 500

/** Heap of the thread, MiB. */
export const heapMb = 256

/** Calls that may wait, in total and for one owner: a turn takes up to `hardMs`. */
export const rooms = {
  submit: { inAll: 512, ofOwner: 64 },
  estimate: { inAll: 32, ofOwner: 4 }
}
