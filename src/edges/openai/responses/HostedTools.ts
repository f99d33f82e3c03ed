/**
 * Tools that OpenAI runs itself, such as `web_search` (https://platform.openai.com/docs/guides/tools). A chat cannot use them: they
 * are left out, and the answer names them in a header.
 */
import type * as Answer from "#src/edges/http/Answer.ts"

const header = "x-inferlog-tools-left-out"

/** Types are words, so that a header can name them. */
export const isType = (type: string): boolean => /^\w{1,64}$/.test(type)

/** What such a tool did in an earlier turn: `web_search_call`, `local_shell_call_output`, `mcp_list_tools`. */
export const isItem = (type: string): boolean => /^(\w+_call(_output)?|mcp_\w+)$/.test(type)

/** Headers of an answer without these tools. */
export const headersOf = (leftOut: ReadonlyArray<string>): Answer.Headers =>
  leftOut.length === 0 ? {} : { [header]: leftOut.join(", ") }
