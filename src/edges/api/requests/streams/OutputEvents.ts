/** The frames of a request's output (decisions, "Live output"). */
import type { OutputReader } from "#src/features/live-output/LiveOutput.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"

const frame = (event: string, data: string, id?: string): string =>
  id === undefined ? `event: ${event}\ndata: ${data}\n\n` : `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

/** JSON contains no line breaks, so it is one line of data. */
export const reader = ({ ready, write }: EventStream): OutputReader => ({
  chunk: ({ id, text }) => write(frame("chunk", text, id)),
  restart: () => void write(frame("restart", "{}")),
  progress: (fraction) => void write(frame("progress", JSON.stringify({ progress: fraction }))),
  ready
})

/** The first event of a submit that streams: the create response. */
export const created = (body: object): string => frame("request", JSON.stringify(body))

const noPayloads = { input: null, output: null }

/** The last event. */
export const done = (urls: Pick<Urls, "mediaUrl">, ended: Snapshot): string => {
  const { cost, details, error, id, outcome, status } = ResultView.result(urls, ended, noPayloads)
  return frame("done", JSON.stringify({ request_id: id, status, outcome, cost, error, details }))
}

export const example =
  frame("chunk", JSON.stringify("Hel"), "1-k3f-1") +
  frame("chunk", JSON.stringify("lo"), "1-k3f-2") +
  frame("done", JSON.stringify({ status: "COMPLETED", outcome: "succeeded", cost: "0.00002", error: null }))
