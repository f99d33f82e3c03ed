/** What one thread of a counted server has done since its start. */
export interface ThreadCounts {
  /** The folder of the thread's module, from the root of the checkout. */
  readonly folder: string
  /** Runs of SQL statements. */
  readonly statements: number
  /** Allocated in the thread's heap. */
  readonly bytes: number
  /** Fibers of Effect. */
  readonly fibers: number
}
