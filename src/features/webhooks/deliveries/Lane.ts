/** One account at one receiver. */
export interface Lane {
  readonly accountId: string
  /** Scheme, host and port. */
  readonly origin: string
}
