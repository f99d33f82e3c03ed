import type { Objection } from "../VisionTask.ts"

/** Thrown in a worker when the picture or the parameters are at fault. */
export class Refusal extends Error {
  readonly reason: Objection

  constructor(reason: Objection, cause?: unknown) {
    super(reason, { cause })
    this.name = "Refusal"
    this.reason = reason
  }
}

/** For `.catch`: `reason` is reported to the client. */
export const refuseAs =
  (reason: Objection) =>
  (cause: unknown): never => {
    throw cause instanceof Refusal ? cause : new Refusal(reason, cause)
  }
