/** Everything that happened to the request: its lanes, a slider through time with the state after each event, and the events. */
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Slider } from "#console/design/fields/Slider.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { deliveryOf, type Entry, timeOf } from "./Entry.ts"
import { EventList } from "./EventList.tsx"
import { wordsOf } from "./EventWords.ts"
import * as Lanes from "./Lanes.ts"
import * as StateFacts from "./StateFacts.ts"
import { StateView } from "./StateView.tsx"
import classes from "./Timeline.module.css"
import { TimelineChart } from "./TimelineChart.tsx"
import { useNow } from "./UseNow.ts"

interface Props {
  readonly entries: ReadonlyArray<Entry>
  readonly isLoading: boolean
  readonly error: unknown
  readonly onRetry: () => void
  /** Whether something still lasts: the time goes on. */
  readonly isLive: boolean
}

export const TimelineSection = ({ entries, error, isLive, isLoading, onRetry }: Props) => (
  <Section
    title="Timeline"
    lead="Everything that happened, as the log has it. Move through time to see the state after each event."
    {...(entries.some((entry) => deliveryOf(entry) !== null) && { actions: <Deliveries /> })}
  >
    {entries.length > 0 && <Travel entries={entries} isLive={isLive} />}
    {entries.length === 0 && isLoading && <Skeleton lines={5} label="Loading the timeline" />}
    {error !== null && (
      <ErrorState title="The timeline could not be loaded" error={error} onRetry={onRetry} />
    )}
  </Section>
)

const Deliveries = () => {
  const { requestId } = useParams({ from: "/shell/account/requests/$requestId" })
  return (
    <Link to="/webhooks" search={{ requestId }}>
      Webhook deliveries
    </Link>
  )
}

/** By itself, so that the list of events is not drawn anew with each tick. */
const Chart = ({
  chosen,
  entries,
  isLive,
  onChoose
}: Pick<Props, "entries" | "isLive"> & {
  readonly chosen: number
  readonly onChoose: (index: number) => void
}) => {
  const now = useNow(isLive)
  return (
    <TimelineChart
      lanes={Lanes.of(entries, now)}
      times={entries.map(timeOf)}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}

const Travel = ({ entries, isLive }: Pick<Props, "entries" | "isLive">) => {
  const { event } = useSearch({ from: "/shell/account/requests/$requestId" })
  const navigate = useNavigate()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const last = entries.length - 1
  const found = event === undefined ? -1 : entries.findIndex(({ position }) => position === event)
  // Without a choice the newest event is shown, and the slider follows.
  const chosen = found < 0 ? last : found
  const choose = (index: number) => {
    const position = index === last ? undefined : entries[index]?.position
    void navigate({
      to: ".",
      search: position === undefined ? {} : { event: position },
      replace: true,
      resetScroll: false
    })
  }
  const toggle = (position: string, isOpen: boolean) =>
    setOpen((before) => {
      const next = new Set(before)
      if (isOpen) next.add(position)
      else next.delete(position)
      return next
    })
  const states = entries.flatMap(({ state }) => state ?? [])
  const entry = entries[chosen]
  return (
    <>
      <Chart entries={entries} isLive={isLive} chosen={chosen} onChoose={choose} />
      <Slider
        label="State after event"
        least={1}
        most={entries.length}
        value={chosen + 1}
        onChange={(value) => choose(value - 1)}
        text={`${chosen + 1} of ${entries.length}${entry === undefined ? "" : `: ${wordsOf(entry)}`}`}
      />
      <div className={classes["travel"]}>
        {states.length === entries.length && <StateView facts={StateFacts.of(states, chosen)} />}
        <EventList entries={entries} chosen={chosen} onChoose={choose} open={open} onToggle={toggle} />
      </div>
    </>
  )
}
