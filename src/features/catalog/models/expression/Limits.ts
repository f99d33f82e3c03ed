/**
 * Of one evaluation. JSONata looks at its own limits between two steps only, and one step may be a sort of a million texts
 * or a regular expression that never ends: the thread is ended then.
 */

/** ms, nested calls, members of a sequence. */
export const ofJsonata = { timeout: 250, stack: 500, sequence: 100_000 }

/** After which the thread is ended, ms. */
export const hardMs = 500

/** Heap of the thread, MiB. */
export const heapMb = 256

/** How many calls may wait for their turn, and of one owner: a turn takes up to `hardMs`. */
export const rooms = {
  submit: { inAll: 512, ofOwner: 64 },
  estimate: { inAll: 32, ofOwner: 4 }
}
