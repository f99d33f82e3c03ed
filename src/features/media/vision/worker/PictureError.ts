import type { Objection } from "../VisionTask.ts"

/** Thrown in a worker when the picture or the parameters are at fault. */
export class PictureError extends Error {
  readonly reason: Objection

  constructor(reason: Objection, cause?: unknown) {
    super(reason, { cause })
    this.name = "PictureError"
    this.reason = reason
  }
}

/** For `.catch`: `reason` is reported to the client. */
export const refuseAs =
  (reason: Objection) =>
  (cause: unknown): never => {
    throw cause instanceof PictureError ? cause : new PictureError(reason, cause)
  }
