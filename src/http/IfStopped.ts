/**
 * Notes what an exchange is to be answered with should the server stop before its answer is ready: a route that waits has
 * something to tell by then. Without a note the client is told to come back.
 */
import { Context } from "effect"
import type { Answer } from "./Answer.ts"

export const IfStopped = Context.Reference<(answer: Answer) => void>("inferlog/src/http/IfStopped", {
  defaultValue: () => () => {}
})
