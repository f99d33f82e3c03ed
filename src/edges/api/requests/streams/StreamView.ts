/** Events of the two streams, as text (decisions, "Server-sent events" and "Client habits"). */
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import type { Progress } from "#src/features/requests/live/LiveProgress.ts"
import * as FailureView from "#src/features/requests/views/FailureView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as StatusView from "#src/features/requests/views/StatusView.ts"

/** Time after which a disconnected client reconnects, ms. */
export const retry = "retry: 2000\n\n"

type StatusBody = (StatusView.StatusBody | StatusView.FailedBody) & { readonly modelEndpoint: string }

/**
 * The body of `GET …/status` at the time of the change.
 * @param logs of a request that has ended.
 */
const bodyOf = (queueUrl: string, change: StatusChange, logs: ReadonlyArray<string>): StatusBody => {
  const { error, expectedMs, inferenceMs, model: modelEndpoint, requestId, status, upstream } = change
  const urls = RequestUrls.of(queueUrl, modelEndpoint, requestId)
  if (status === "FAILED") {
    return {
      status,
      request_id: requestId,
      ...urls,
      logs,
      queue_position: 0,
      error: error ?? "",
      ...FailureView.of(status, upstream),
      modelEndpoint
    }
  }
  return {
    status,
    request_id: requestId,
    ...urls,
    logs: logs.join("\n"),
    // The row may already contain a later change.
    ...StatusView.metrics(status, { expectedMs, inferenceMs }),
    queue_position: 0,
    modelEndpoint
  }
}

/** An event of `GET /requests/stream`. JSON contains no line breaks, so it is one line of data. */
export const statusEvent = (
  queueUrl: string,
  change: StatusChange,
  logs: ReadonlyArray<string> = []
): string =>
  `id: ${change.position}\nevent: status\ndata: ${JSON.stringify(bodyOf(queueUrl, change, logs))}\n\n`

/** An event of `GET /requests/stream` without an id, so it is not repeated when a client resumes. */
export const progressEvent = ({ fraction, model, requestId }: Progress): string =>
  `event: progress\ndata: ${JSON.stringify({ request_id: requestId, modelEndpoint: model, progress: fraction })}\n\n`

/** An event of `GET …/status/stream`. */
export const message = (...shown: Parameters<typeof StatusView.current>): string =>
  `data: ${JSON.stringify(StatusView.current(...shown))}\n\n`

/** Ends the snapshot. Without data it is no event, but the client stores its id and resumes here (HTML, 9.2.6). */
export const place = (position: string): string => `: up to here\nid: ${position}\n\n`

export const endsRequest = ({ status }: StatusChange): boolean =>
  status !== "IN_QUEUE" && status !== "IN_PROGRESS"
