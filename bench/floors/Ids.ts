import * as crypto from "node:crypto"

const ofProcess = crypto.randomBytes(4).toString("hex")
let counter = 0

/** An id of 21 characters that sorts by time: milliseconds, a counter and a random id of the process. */
export const next = (): string =>
  Date.now().toString(36).padStart(9, "0") + (counter++ % 36 ** 4).toString(36).padStart(4, "0") + ofProcess
