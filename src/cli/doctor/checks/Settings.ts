/** Checks of the settings: wrong, misspelled and risky ones. No value is shown. */
import { Effect, Option } from "effect"
import * as AllSettings from "#src/composition/settings/AllSettings.ts"
import * as Misspelled from "#src/composition/settings/Misspelled.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import { host } from "#src/kernel/settings/ListenAddress.ts"
import { baseUrl } from "#src/kernel/settings/PublicUrls.ts"
import { allowPrivateTargets } from "#src/kernel/outbound/Vetting.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as Check from "../Check.ts"
import * as Place from "./Place.ts"

const settings: Check.Check = {
  name: "settings",
  look: AllSettings.validate.pipe(
    Effect.andThen(BlobStorage.checkShared),
    Effect.as(Check.ok(`All ${AllSettings.all.length} settings are accepted`)),
    Effect.catchTags({
      InvalidSettings: ({ message }) =>
        Effect.succeed(Check.failed(message, "Correct them (docs/reference/settings.md)")),
      BlobStoreNotShared: ({ message }) => Effect.succeed(Check.failed(message, "Set BLOB_STORE"))
    })
  )
}

const misspelled: Check.Check = {
  name: "misspelled-settings",
  look: Effect.sync(() => {
    const names = AllSettings.all.map(({ name }) => name)
    const found = Misspelled.find(Object.keys(process.env), names)
    return found.length === 0
      ? Check.ok("No variable looks like a misspelled setting")
      : Check.failed(
          `Ignored: ${found.map(({ variable }) => variable).join(", ")}`,
          `Did you mean ${found.map(({ setting }) => setting).join(", ")}? Rename or unset them`
        )
  })
}

/** Each with what to do about it. */
const risks = Effect.gen(function* () {
  const store = yield* eventStore.config
  const base = yield* baseUrl.config
  const blobs = yield* BlobStorage.blobStore.config
  const endpoint = blobs._tag === "S3" ? blobs.options.endpoint : null
  const isOpen = !Place.isLoopback(yield* host.config)
  return [
    {
      isThere: yield* allowPrivateTargets.config,
      risk: "ALLOW_PRIVATE_TARGETS lets callers reach private networks",
      remedy: "unset it, unless all callers are trusted"
    },
    {
      isThere: store._tag === "Nats" && store.options.storage === "memory",
      risk: "EVENT_STORE keeps the log in memory",
      remedy: "use storage=file"
    },
    {
      isThere: isOpen && Option.isNone(base),
      risk: "HOST is open to the network and BASE_URL is not set, so links in answers have the listener's address",
      remedy: "set BASE_URL, QUEUE_URL and MEDIA_URL to the addresses that clients use"
    },
    {
      isThere: Option.exists(base, Place.isPlain),
      risk: "BASE_URL is plain http, so others on the network can read keys",
      remedy: "put a proxy with TLS in front, and use https"
    },
    {
      isThere: endpoint !== null && Place.isPlain(endpoint),
      risk: "The endpoint in BLOB_STORE is plain http",
      remedy: "use https, unless the network is private"
    }
  ].filter(({ isThere }) => isThere)
})

const risky: Check.Check = {
  name: "risky-settings",
  look: Effect.map(risks, (found) =>
    found.length === 0
      ? Check.ok("No setting is risky")
      : Check.warning(
          found.map(({ risk }) => risk).join("; "),
          `To mend: ${found.map(({ remedy }) => remedy).join("; ")}`
        )
  )
}

export const checks = [settings, misspelled, risky]
