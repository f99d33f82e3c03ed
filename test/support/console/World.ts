/** What every test of the console can rely on: one server with data of every kind, and who may sign in to it. */

/** Accounts that sign in with a key, and operators that sign in with theirs, by role. */
export type Person = "ada" | "reader" | "empty" | "viewer" | "operator" | "auditor" | "owner"

/**
 * `ada` owns the account with all data and may do everything, `reader` is a key of the same account with `requests:read` alone, and
 * `empty` is an account without data and money. The others are operators, named by their role.
 */
export type Keys = Readonly<Record<Person, string>>

/** Requests of `ada`, by what became of them. */
export interface Requests {
  readonly succeeded: string
  /** A picture of `sandbox/media`. */
  readonly picture: string
  /** Text that arrived word by word. */
  readonly text: string
  /** Succeeded at its third run. */
  readonly retried: string
  /** Refused by its provider: `FAILED`. */
  readonly refused: string
  /** Ended with an error of the model: 422. */
  readonly failed: string
  /** Output that breaks its schema. */
  readonly invalid: string
  readonly cancelled: string
  /** Under way until the tests end, at a worker that has reported 40 % and two lines of logs. */
  readonly running: string
  /** Waits for a provider that cannot be reached. */
  readonly waiting: string
  /** Waits for a provider that has asked for a pause. */
  readonly blocked: string
  /** Its input and output are erased. */
  readonly erased: string
}

export interface World {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly accountId: string
  readonly password: string
  readonly keys: Keys
  readonly requests: Requests
  /** Delivered webhooks go there, and others are refused there with 500. */
  readonly receivers: { readonly good: string; readonly bad: string }
  /** Where Chromium takes commands. */
  readonly browser: string
}

declare module "vitest" {
  interface ProvidedContext {
    readonly console: World | null
  }
}
