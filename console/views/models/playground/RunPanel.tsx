/** A run of the playground: its state while it goes, and its result, cost and duration. */
import * as JsonText from "#domain/JsonText.ts"
import { useEffect, useState } from "react"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Duration, durationText } from "#console/design/data/Duration.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { StatusBadge } from "#console/views/requests/StatusBadge.tsx"
import { TroubleView } from "#console/views/requests/TroubleView.tsx"
import { ResultView } from "#console/views/result/ResultView.tsx"
import type { Schema } from "#console/views/result/ResultParts.ts"
import { TextView } from "#console/views/result/TextView.tsx"
import type { LiveOutput, StreamKind } from "./LiveOutput.ts"
import { type LiveRequest, type Retrieved, useLiveRequest } from "./LiveRequest.ts"
import classes from "./Playground.module.css"

const tickMs = 100

/** Time since the request was accepted, while it goes. */
const Elapsed = ({ since }: { readonly since: string }) => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return <span className={classes["elapsed"]}>{durationText(Math.max(0, now - Date.parse(since)))}</span>
}

const Live = ({ live, schema }: { readonly live: LiveOutput; readonly schema: Schema }) => {
  if (live.value === undefined) return null
  if (live.kind === "text" || live.kind === "openai") return <TextView text={live.text} isLive />
  return <ResultView output={live.value} schema={schema} />
}

const Going = ({
  request,
  run,
  schema
}: {
  readonly request: Retrieved
  readonly run: LiveRequest
  readonly schema: Schema
}) => {
  const [cancelling, setCancelling] = useState<"no" | "yes" | { readonly error: unknown }>("no")
  const { live, logs, progress, status } = run
  const isQueued = status === "IN_QUEUE"
  return (
    <Stack>
      {isQueued && <TroubleView request={request} />}
      <ProgressBar
        label={isQueued ? "Waits for its turn" : progress === null ? "Runs" : "Progress"}
        fraction={isQueued ? null : progress}
      />
      <Live live={live} schema={schema} />
      <Logs logs={logs} isOpen />
      {typeof cancelling === "object" && (
        <Notice kind="alarm" title="It was not cancelled" error={cancelling.error} />
      )}
      <Row>
        <Button
          isDisabled={cancelling === "yes"}
          onPress={() => {
            setCancelling("yes")
            run.cancel().catch((error: unknown) => setCancelling({ error }))
          }}
        >
          Cancel
        </Button>
        {cancelling === "yes" && <span>Cancelling …</span>}
      </Row>
    </Stack>
  )
}

const Logs = ({ isOpen, logs }: { readonly logs: string; readonly isOpen: boolean }) =>
  logs === "" ? null : (
    <details open={isOpen} className={classes["logs"]}>
      <summary>Logs</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keyboard. */}
      <pre tabIndex={0} role="log" aria-label="Logs">
        {logs}
      </pre>
    </details>
  )

const Ended = ({
  logs,
  request,
  schema
}: {
  readonly request: Retrieved
  readonly logs: string
  readonly schema: Schema
}) => {
  const { cost, delayTime, erasedAt, inferenceTime, media, output } = request
  return (
    <Stack>
      <TroubleView request={request} />
      {erasedAt !== null && (
        <Notice title="Erased">The input and the output of this request are erased.</Notice>
      )}
      {output !== null && (
        <ResultView
          output={output}
          scalar={JsonText.spelledMember(request, "output")?.scalar ?? null}
          schema={schema}
          media={media}
        />
      )}
      <Facts
        facts={[
          { name: "Cost", value: <Money amount={cost} /> },
          { name: "Run", value: <Duration ms={inferenceTime} /> },
          { name: "Wait before it", value: <Duration ms={delayTime} /> }
        ]}
      />
      <Logs logs={logs} isOpen={false} />
    </Stack>
  )
}

export const RunPanel = ({
  model,
  onRequest,
  requestId,
  schema,
  stream
}: {
  readonly requestId: string
  readonly model: string
  readonly schema: Schema
  readonly stream: StreamKind
  /** Called with the request when it is loaded. */
  readonly onRequest: (request: Retrieved) => void
}) => {
  const run = useLiveRequest(requestId, model, stream)
  const { error, isEnded, request, retry, status } = run
  useEffect(() => {
    if (request !== undefined) onRequest(request)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- Once for each request.
  }, [request?.id])
  if (request === undefined) {
    return error === null ? (
      <Skeleton lines={4} />
    ) : (
      <ErrorState title="The request could not be read" error={error} onRetry={retry} />
    )
  }
  return (
    <Stack>
      <Row gap={2}>
        <span role="status">
          <StatusBadge status={status} outcome={request.outcome} />
        </span>
        {!isEnded && <Elapsed since={request.createdAt} />}
        <span className={classes["spacer"]} />
        <CopyButton text={requestId} what="id of the request" label="Copy id" />
        <LinkButton size="small" kind="quiet" to="/requests/$requestId" params={{ requestId }}>
          Details and timeline
        </LinkButton>
      </Row>
      {isEnded ? (
        <Ended request={request} logs={run.logs} schema={schema} />
      ) : (
        <Going request={request} run={run} schema={schema} />
      )}
    </Stack>
  )
}
