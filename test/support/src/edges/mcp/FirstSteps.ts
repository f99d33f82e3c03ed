/** The beginning of every conversation with the server, and what it must find. */
import { assert } from "@effect/vitest"
import { Browser } from "#test/support/AssistantLogin.ts"
import type { Assistant } from "./Assistant.ts"

export const toolNames = [
  "get_model",
  "get_model_raw_schema",
  "get_request",
  "get_wrapper",
  "list_models",
  "list_my_requests",
  "list_wrappers",
  "recommended_models",
  "recommended_wrappers",
  "run_model",
  "search",
  "upload_file",
  "wait_for_request"
]

/** Signs in with the key and opens a session. */
export const signIn = async (assistant: Assistant, apiKey: string): Promise<void> => {
  assert.isFalse(await assistant.connect())
  const { authorizationUrl } = assistant.login
  if (authorizationUrl === undefined) throw new Error("The client was not told where the user signs in")
  const back = await new Browser().signIn(authorizationUrl, {
    api_key: apiKey.replace(/^Key /, ""),
    decision: "allow"
  })
  assert.strictEqual(back.searchParams.get("state"), "state-of-the-test")
  await assistant.finish(back)
  assert.isTrue(await assistant.connect())
}
