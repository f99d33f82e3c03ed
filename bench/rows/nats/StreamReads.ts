/** The reads of T13's cold stream: requests spread over the log, in sequence, for the length of the measurement. */
import type { StreamName } from "#streams/StreamName.ts"
import * as RequestLives from "../log/RequestLives.ts"
import * as Work from "../log/Work.ts"

/** @param requests number of requests in the log. */
export const serve = (requests: number, read: (stream: StreamName) => Promise<unknown>): void => {
  let turn = 0
  const next = () => read(RequestLives.streamOf((Math.imul(turn++, 0x9e3779b1) >>> 0) % requests))
  Work.serve((seconds) => Work.repeated({ inFlight: 1, seconds }, next))
}
