import type { Objection } from "../VisionTask.ts"

/** Thrown in a worker for a picture, or a wish, that is at fault. */
export class Refusal extends Error {
  readonly reason: Objection

  constructor(reason: Objection, cause?: unknown) {
    super(reason, { cause })
    this.name = "Refusal"
    this.reason = reason
  }
}

/** For `.catch`: whatever went wrong, `reason` is what the client is told. */
export const refuseAs =
  (reason: Objection) =>
  (cause: unknown): never => {
    throw cause instanceof Refusal ? cause : new Refusal(reason, cause)
  }
