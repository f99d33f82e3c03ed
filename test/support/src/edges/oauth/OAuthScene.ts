/** A separate client for each test, and a user who allows it. */
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { OAuthClient } from "./OAuthClient.ts"

export interface OAuthScene {
  /** Registered for this test alone. */
  readonly client: OAuthClient
  readonly other: () => Promise<OAuthClient>
  /** For a user with the first account's key. */
  readonly allow: { readonly api_key: string; readonly decision: "allow" }
}

export const scene = Effect.flatMap(TestServer.TestServer, ({ key, urls }) =>
  Effect.promise(async (): Promise<OAuthScene> => {
    const other = () => OAuthClient.register(urls)
    const allow = { api_key: key.replace(/^Key /, ""), decision: "allow" } as const
    return { client: await other(), other, allow }
  })
)

export const scenario = (run: (scene: OAuthScene) => Promise<void>) =>
  Effect.flatMap(scene, (scene) => Effect.promise(() => run(scene)))
