/** The events of the log, newest first, with new ones as they are written. */
import { useMemo, useState } from "react"
import { consolePath, queryText } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { DownloadLink } from "#console/design/actions/DownloadLink.tsx"
import { OpeningList } from "#console/design/data/OpeningList.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import type { LogEvent } from "../chain/LogEvent.ts"
import { EventDetails } from "./EventDetails.tsx"
import { Filters } from "./Filters.tsx"
import classes from "./Journal.module.css"
import type { Choice, Search } from "./JournalSearch.ts"
import { useLog } from "./UseLog.ts"

const count = new Intl.NumberFormat()

export const EventsPart = ({
  onChange,
  search: { after, stream, type, until }
}: {
  readonly search: Search
  readonly onChange: (search: Search) => void
}) => {
  const choice = useMemo<Choice>(
    () => ({
      ...(type === undefined ? {} : { type }),
      ...(stream === undefined ? {} : { stream }),
      ...(after === undefined ? {} : { after }),
      ...(until === undefined ? {} : { until })
    }),
    [type, stream, after, until]
  )
  const [isWanted, setWanted] = useState(true)
  const isLive = isWanted && until === undefined
  const { error, events, hasOlder, isCut, isFollowing, older, onTop, reload, retry, show, status, waiting } =
    useLog(choice, isLive)
  return (
    <Stack>
      <Filters choice={choice} onChange={onChange} />
      <Row>
        <Switch isSelected={isLive} isDisabled={until !== undefined} onChange={setWanted}>
          Show new events as they come
        </Switch>
        <DownloadLink
          size="small"
          href={`${consolePath}/api/admin/v1/log/events${queryText({ ...choice })}`}
          file="events.ndjson"
        >
          Download these events
        </DownloadLink>
        {waiting.length > 0 && (
          <Button size="small" onPress={show}>
            Show {count.format(waiting.length)} new {waiting.length === 1 ? "event" : "events"}
          </Button>
        )}
      </Row>
      {isCut && (
        <Notice
          kind="info"
          action={
            <Button size="small" onPress={() => void reload()}>
              Back to the newest
            </Button>
          }
        >
          The list keeps a few thousand events. The newest ones are not in it any more.
        </Notice>
      )}
      {status === "loading" && <Skeleton lines={8} label="Loading events" />}
      {error !== null && <ErrorState error={error} onRetry={() => void retry()} />}
      {status !== "loading" && error === null && events.length === 0 && (
        <EmptyState title="No event matches">
          {isFollowing ? "New ones appear here." : "Remove a filter to see more."}
        </EmptyState>
      )}
      {events.length > 0 && (
        <OpeningList
          label="Events of the log, newest first"
          items={events}
          keyOf={({ position }) => position}
          summary={(event) => <Summary event={event} />}
          details={(event) => <EventDetails event={event} />}
          onEnd={older}
          onTop={onTop}
        />
      )}
      {events.length > 0 && hasOlder && (
        <Row>
          <Button isDisabled={status === "older"} onPress={older}>
            {status === "older" ? "Loading older events" : "Load older events"}
          </Button>
        </Row>
      )}
    </Stack>
  )
}

const Summary = ({ event: { position, stream, time, type } }: { readonly event: LogEvent }) => (
  <span className={classes["event"]}>
    <span className={classes["position"]}>{position}</span>
    <span className={classes["time"]}>
      <Time at={time} />
    </span>
    <span className={classes["type"]}>{type}</span>
    <code className={classes["stream"]}>{stream}</code>
  </span>
)
