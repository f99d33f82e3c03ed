/** The log of the server that answers, as it is written. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { queryText } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import classes from "../Operate.module.css"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { useRefusal } from "../parts/Role.ts"
import { type Level, levels } from "../Search.ts"
import { LogLines } from "./LogLines.tsx"

type Read = AdminAnswer<"readServerLog">
export type Line = Read["data"][number]

/** Lines that are kept here. */
const most = 2_000

const labels: Readonly<Record<Level, string>> = {
  trace: "All",
  debug: "Debug and above",
  info: "Info and above",
  warn: "Warnings and errors",
  error: "Errors",
  fatal: "Fatal"
}

const isLine = (data: unknown): data is Line => typeof data === "object" && data !== null && "seq" in data

const countOf = (data: unknown): number =>
  typeof data === "object" && data !== null && "count" in data ? Number(data.count) : 0

/** Follows from the lines that were read. It begins anew with another filter. */
const Followed = ({
  first,
  level,
  q
}: {
  readonly first: Read
  readonly level: Level
  readonly q: string
}) => {
  const [lines, setLines] = useState<ReadonlyArray<Line>>(first.data)
  const [missed, setMissed] = useState(0)
  /** The last line that is shown while it is paused. */
  const [pausedAt, setPausedAt] = useState<number | null>(null)
  const path = `/api/admin/v1/server-log/follow${queryText({ after: first.last, level, ...(q !== "" && { text: q }) })}`
  const connection = useEvents(path, ["line", "missed"], ({ data, type }) => {
    if (type === "missed") setMissed((count) => count + countOf(data))
    else if (isLine(data)) {
      setLines((before) => {
        const last = before.at(-1)?.seq ?? 0
        // A smaller number is of a restarted server.
        return last === data.seq ? before : [...before, data].slice(-most)
      })
    }
  })
  const shown = pausedAt === null ? lines : lines.filter(({ seq }) => seq <= pausedAt)
  const later = lines.length - shown.length
  return (
    <>
      <div className={classes["bar"]}>
        <Button onPress={() => setPausedAt(pausedAt === null ? (lines.at(-1)?.seq ?? 0) : null)}>
          {pausedAt === null ? "Pause" : `Go on${later > 0 ? ` (${later} new)` : ""}`}
        </Button>
        <Button kind="quiet" onPress={() => setLines([])}>
          Clear
        </Button>
        <LiveBadge connection={connection} />
      </div>
      {missed > 0 && (
        <Notice kind="warning">{missed.toLocaleString()} lines were written too fast to be sent here.</Notice>
      )}
      {shown.length === 0 ? (
        <EmptyState title="No line matches yet">New ones appear here.</EmptyState>
      ) : (
        <LogLines lines={shown} isPaused={pausedAt !== null} />
      )}
    </>
  )
}

const Reader = ({ level, q }: { readonly level: Level; readonly q: string }) => {
  const query = useQuery({
    ...adminQuery("readServerLog", { level, ...(q !== "" && { text: q }) }),
    // The stream goes on from here.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false
  })
  return (
    <Loaded query={query}>
      {(first) => (
        <>
          {first.nodeId !== null && (
            <p className={classes["small"]}>
              Of node <code>{first.nodeId}</code>. It keeps its last 2,000 lines.
            </p>
          )}
          <Followed first={first} level={level} q={q} />
        </>
      )}
    </Loaded>
  )
}

export const ServerLogView = () => {
  const { level = "trace", q = "" } = useSearch({ from: "/shell/operate/area/log" })
  const navigate = useNavigate({ from: "/operate/log" })
  const refusal = useRefusal("operator")
  const [text, setText] = useState(q)
  return (
    <Page title="Server log" lead="What the server writes to its standard error, without secrets.">
      {refusal !== null ? (
        <Notice kind="warning" title="You cannot read the server log">
          <p>{refusal}</p>
        </Notice>
      ) : (
        <>
          <form
            className={classes["filters"]}
            onSubmit={(event) => {
              event.preventDefault()
              void navigate({
                search: { ...(text !== "" && { q: text }), ...(level !== "trace" && { level }) }
              })
            }}
          >
            <Select
              label="Level"
              value={level}
              choices={levels.map((value) => ({ value, label: labels[value] }))}
              onChange={(chosen) =>
                void navigate({
                  search: { ...(q !== "" && { q }), ...(chosen !== "trace" && { level: chosen }) }
                })
              }
            />
            <TextField label="Text" type="search" value={text} onChange={setText} />
            <Button type="submit">Filter</Button>
          </form>
          <Reader key={`${level} ${q}`} level={level} q={q} />
        </>
      )}
    </Page>
  )
}
