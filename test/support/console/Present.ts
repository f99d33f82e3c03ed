/** Requests, deliveries and files of today: each status once. */
import { Schema } from "effect"
import { type Call, decode, submit, until } from "./Calls.ts"
import { away, reserved } from "./Manifests.ts"
import type { Requests, World } from "./World.ts"

const metadata = { "x-request-metadata": '{"customer":"c-42","order":"4712"}' }

const Initiated = decode(Schema.Struct({ upload_url: Schema.String, file_url: Schema.String }))

/** Stores a file, and returns its address. */
const upload = async (call: Call, name: string, contentType: string, bytes: Uint8Array<ArrayBuffer>) => {
  const asked = { file_name: name, content_type: contentType, size: bytes.byteLength }
  const { file_url: url, upload_url: to } = Initiated(await call("POST", "/storage/upload/initiate", asked))
  const stored = await fetch(to, { method: "PUT", headers: { "content-type": contentType }, body: bytes })
  if (!stored.ok) throw new Error(`Upload of ${name}: ${stored.status} ${await stored.text()}`)
  return url
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const files = async (call: Call): Promise<void> => {
  await upload(call, "notes.txt", "text/plain", bytesOf("Two lighthouses, one dawn.\n"))
  await upload(call, "table.csv", "text/csv", bytesOf("day,visitors\n1,20\n2,35\n"))
}

/** In order, because lists show the newest first. */
export const requests = async (
  call: Call,
  receivers: World["receivers"]
): Promise<Omit<Requests, "running">> => {
  const run = async (model: string, input: unknown, ...statuses: ReadonlyArray<string>) =>
    until(call, await submit(call, model, input, metadata), ...statuses)
  const hooked = { webhook: receivers.good, webhook_events_filter: ["start", "completed"] }

  const erased = await run("sandbox/echo", { value: "to be forgotten" }, "COMPLETED")
  await call("DELETE", `/requests/${erased}/payloads`)
  await run("sandbox/echo", { value: "not received", webhook: receivers.bad }, "COMPLETED")
  const refused = await run("sandbox/fail", { message: "No such voice" }, "FAILED")
  const failed = await run("sandbox/provider-fail", { message: "The picture is empty" }, "COMPLETED")
  const invalid = await run("sandbox/invalid-output", {}, "COMPLETED")
  const retried = await run("sandbox/flaky", { failures: 2 }, "COMPLETED")
  const cancelled = await submit(call, "sandbox/slow", { seconds: 60 }, metadata)
  await call("GET", `/sandbox/slow/requests/${cancelled}/cancel`)
  await until(call, cancelled, "CANCELLED")
  const text = await run(
    "sandbox/stream",
    { text: "# Tides\n\nThe sea *rises*. ", count: 16, delayMs: 5 },
    "COMPLETED"
  )
  const picture = await run(
    "sandbox/media",
    { width: 640, height: 400, color: "#1f5a46", ...hooked },
    "COMPLETED"
  )
  const succeeded = await run(
    "sandbox/echo",
    { value: { words: ["dawn", "tide"], count: 2 }, ...hooked },
    "COMPLETED"
  )
  const waiting = await submit(call, away, { prompt: "The keeper of the lighthouse" }, metadata)
  const blocked = await submit(call, reserved, { prompt: "Good morning" }, metadata)
  for (const prompt of ["Her dog", "The boat", "The storm"]) await submit(call, away, { prompt })
  return { succeeded, picture, text, retried, refused, failed, invalid, cancelled, waiting, blocked, erased }
}
