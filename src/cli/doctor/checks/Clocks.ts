/** The check of the clock: against the last event of the log, and against the `Date` of the S3 server. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, DateTime, Effect, Option } from "effect"
import { HttpClient } from "effect/http"
import { configured, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import * as LogEnd from "#streams/sqlite/LogEnd.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Check from "../Check.ts"

/** Differences of clocks, ms. `Date` has whole seconds. */
const noticed = 5_000
/** S3 refuses requests that are dated 15 minutes apart; receivers of webhooks refuse 5 minutes. */
const refused = 300_000

const byNtp = "Keep the clock by NTP (timedatectl set-ntp true)"

const seconds = (millis: number) => `${(Math.abs(millis) / 1000).toFixed(1)} s`

/** @param ahead how far this machine's clock is ahead of S3's, ms. */
const ofS3 = (ahead: number): Check.Verdict => {
  const detail = `The clock is ${seconds(ahead)} ${ahead < 0 ? "behind" : "ahead of"} that of S3`
  if (Math.abs(ahead) > refused) return Check.failed(detail, byNtp)
  return Math.abs(ahead) > noticed ? Check.warning(detail, byNtp) : Check.ok(detail)
}

/** The end of the last event, if the log is in `DATA_DIR` and has one. */
const lastEvent = Effect.gen(function* () {
  const directory = yield* configured
  if ((yield* eventStore.config)._tag !== "Sqlite" || !holdsLog(directory)) return null
  return yield* LogEnd.lastTime(LogFiles.files(directory).log)
})

const ofLog = (last: number, now: number): Check.Verdict => {
  if (last - now <= noticed) return Check.ok("The clock is after the last event of the log")
  const detail = `The last event of the log is ${seconds(last - now)} in the future: the clock was set back`
  return last - now > refused ? Check.failed(detail, byNtp) : Check.warning(detail, byNtp)
}

/** Where AWS answers without a signature. */
const aws = "https://s3.amazonaws.com"

/** How long the server may take, for a comparison to the second. */
const answerTime = "5 seconds"

/** `null` when S3 does not answer: the check of S3 says so. */
const differenceToS3 = Effect.fnUntraced(
  function* (endpoint: string) {
    const before = yield* Clock.currentTimeMillis
    const { headers } = yield* HttpClient.head(endpoint)
    const after = yield* Clock.currentTimeMillis
    const date = Option.flatMap(Option.fromUndefinedOr(headers["date"]), DateTime.make)
    // On average, a time in whole seconds is half a second old.
    return Option.getOrNull(
      Option.map(date, (date) => (before + after) / 2 - (DateTime.toEpochMillis(date) + 500))
    )
  },
  Effect.timeout(answerTime),
  Effect.orElseSucceed(() => null),
  Effect.provide(NodeHttpClient.layerUndici)
)

export const check: Check.Check = {
  name: "clock",
  look: Effect.gen(function* () {
    const last = yield* lastEvent
    const blobs = yield* BlobStorage.blobStore.config
    const ahead = blobs._tag === "S3" ? yield* differenceToS3(blobs.options.endpoint ?? aws) : null
    const now = yield* Clock.currentTimeMillis
    return Check.all([
      ...(last === null ? [] : [ofLog(last, now)]),
      ...(ahead === null ? [] : [ofS3(ahead)]),
      ...(last === null && ahead === null ? [Check.skipped("There is nothing to compare it with")] : [])
    ])
  })
}
