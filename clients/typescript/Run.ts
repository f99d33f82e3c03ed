import { type CurrentStatus, cancelOf, ended } from "./Following.ts"
import type { Http } from "./Http.ts"
import { DeadlineExceededError } from "./InferlogError.ts"
import { outputOf } from "./Outcomes.ts"
import { locate, type Located } from "./RequestRef.ts"
import { CallScope } from "./Scope.ts"
import { submission, type SubmitOptions } from "./Submitting.ts"
import type { SubmitRequestAnswer } from "./Wire.ts"

export interface RunOptions extends SubmitOptions {
  /** Called with each status on the way, if the request does not end within the first half minute. */
  readonly onStatus?: ((status: CurrentStatus) => void) | undefined
  /** Whether the request is cancelled when `signal` or `timeout` ends the call, which takes 10 s at most. Default: yes. */
  readonly cancelOnAbort?: boolean | undefined
}

/** For how long the answer to the submit may be held, in seconds. */
const held = 30
/** What cancelling may take, in ms. */
const patience = 10_000

/** The output of a new request. Cancels it if the call ends before. */
export const run = async (
  http: Http,
  model: string,
  input: unknown,
  options: RunOptions,
  scope: CallScope
): Promise<unknown> => {
  const post = await submission(http, model, input, options, scope)
  let located: Located | undefined

  /** Cancels once, if the server can be reached. Sends the same submit again to learn an unknown id. */
  const abandon = async () => {
    const last = new CallScope({ timeout: patience }, http.clock.now())
    try {
      located ??= await locate(http, await http.json(post, last, http.attempts(last, 0)), last)
      await cancelOf(http, located, last, http.attempts(last, 0))
    } catch {
      // The caller gets the reason for which the call ended.
    } finally {
      last.end()
    }
  }

  scope.check()
  try {
    const headers = { ...post.headers, prefer: `wait=${held}` }
    const answer = await http.json<SubmitRequestAnswer>({ ...post, headers, held: held * 1_000 }, scope)
    if ("outcome" in answer) return outputOf(answer)
    located = await locate(http, answer, scope)
    return outputOf(await ended(http, located, options, scope))
  } catch (error) {
    const isLeft = scope.signal.aborted || error instanceof DeadlineExceededError
    if (isLeft && options.cancelOnAbort !== false) await abandon()
    throw error
  }
}
