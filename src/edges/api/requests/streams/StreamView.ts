/** Events of the two streams, as text (decisions, "Server-sent events" and "Client habits"). */
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import type { Progress } from "#src/features/requests/live/LiveProgress.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"

/** ms after which a client that was cut off comes back. */
export const retry = "retry: 2000\n\n"

type StatusBody = (StatusView.StatusBody | StatusView.FailedBody) & { readonly modelEndpoint: string }

/** What `GET …/status` answers, as of the change. @param logs of a request that has ended. */
const bodyOf = (queueUrl: string, change: StatusChange, logs: ReadonlyArray<string>): StatusBody => {
  const { error, expectedMs, inferenceMs, model: modelEndpoint, requestId, status } = change
  const urls = RequestUrls.of(queueUrl, modelEndpoint, requestId)
  if (status === "FAILED") {
    return {
      status,
      request_id: requestId,
      ...urls,
      logs,
      queue_position: 0,
      error: error ?? "",
      modelEndpoint
    }
  }
  return {
    status,
    request_id: requestId,
    ...urls,
    logs: logs.join("\n"),
    // The row that it is read from may be of a later change.
    ...StatusView.metrics(status, { expectedMs, inferenceMs }),
    queue_position: 0,
    modelEndpoint
  }
}

/** An event of `GET /requests/stream`. JSON has no line breaks of its own: it is one line of data. */
export const statusEvent = (
  queueUrl: string,
  change: StatusChange,
  logs: ReadonlyArray<string> = []
): string =>
  `id: ${change.position}\nevent: status\ndata: ${JSON.stringify(bodyOf(queueUrl, change, logs))}\n\n`

/** An event of `GET /requests/stream` without an id: who was cut off is not told of it again. */
export const progressEvent = ({ fraction, model, requestId }: Progress): string =>
  `event: progress\ndata: ${JSON.stringify({ request_id: requestId, modelEndpoint: model, progress: fraction })}\n\n`

/** An event of `GET …/status/stream`. */
export const message = (...shown: Parameters<typeof StatusView.current>): string =>
  `data: ${JSON.stringify(StatusView.current(...shown))}\n\n`

/**
 * How far the snapshot goes. A client keeps the id and is told of no event, for there is no data (WHATWG HTML, 9.2.6): one
 * that was told of nothing yet resumes here.
 */
export const place = (position: string): string => `: up to here\nid: ${position}\n\n`

export const endsRequest = ({ status }: StatusChange): boolean =>
  status !== "IN_QUEUE" && status !== "IN_PROGRESS"
