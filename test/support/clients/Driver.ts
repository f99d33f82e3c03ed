/** What a driver is told, and what it reports. `clients/behaviour/README.md` says how drivers in other languages get both. */

export interface DriverClient {
  readonly url: string
  readonly queueUrl?: string
  readonly key?: string | ReadonlyArray<string>
  readonly retries?: number
  /** ms */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Where the driver's clock begins, ms since 1970. It grows by the pauses that the client asks for, and by nothing else. */
  readonly now: number
  readonly hooks?: "throw" | { readonly headers: Readonly<Record<string, string>> }
}

export interface DriverCall {
  readonly do: string
  readonly args: Readonly<Record<string, unknown>>
  readonly take?: number
}

export interface DriverError {
  /** The name of its class, then those of the classes above it, up to `InferlogError`. */
  readonly classes: ReadonlyArray<string>
  readonly message: string
  readonly [field: string]: unknown
}

export interface Played {
  /** What the client asked its clock to sleep, in order, ms. */
  readonly pauses: ReadonlyArray<number>
  readonly value?: unknown
  readonly items?: ReadonlyArray<unknown>
  readonly error?: DriverError
  readonly aborted?: boolean
  readonly reports?: ReadonlyArray<unknown>
}

export interface Driver {
  readonly name: string
  /** Whether its callers can abort a call. */
  readonly aborts: boolean
  /** Makes a client, makes the call, and reports. Rejects if it does not know the call. */
  readonly play: (client: DriverClient, call: DriverCall, signal: AbortSignal) => Promise<Played>
}
