import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { KeyId } from "#domain/Ids.ts"
import { type Credential, Unauthorized } from "#src/features/accounts/Authentication.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as StreamKeys from "#src/edges/http/edge/StreamKeys.ts"

const keyId = KeyId.make("key_0123456789abcdef_aB3dE5gH")
const token = (claims: string, mac: number): Credential => ({ keyId, claims, mac: Buffer.alloc(32, mac) })

/** No stream ends because of it. */
const unread = new EventStoreError({ reason: "no route to it" })

it.effect("streams end with their own key, secret or token, and not with others of the same key", () =>
  Effect.gen(function* () {
    const credentials: Readonly<Record<string, Credential>> = {
      "a secret": { keyId, secretHash: "a" },
      "another secret": { keyId, secretHash: "b" },
      "a token": token("a", 1),
      "another token": token("b", 1),
      "the same claims under another secret": token("a", 2)
    }
    for (const [name, bad] of Object.entries(credentials)) {
      const ended: Array<string> = []
      const keys = StreamKeys.make<string>(
        (presented) => (presented === bad ? new Unauthorized() : unread),
        (stream) => ended.push(stream)
      )
      Object.entries(credentials).forEach(([name, presented]) => keys.add(presented, name))
      keys.add(bad, `${name}, second stream`)
      keys.add(bad, "left")
      keys.remove(bad, "left")
      yield* keys.judge
      assert.deepStrictEqual(ended, [name, `${name}, second stream`])
    }
  })
)
