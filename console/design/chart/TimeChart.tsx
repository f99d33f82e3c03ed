/**
 * Values over time, as bars or lines, stacked or not. A summary says what it shows, the arrow keys move over the times, and
 * a table has the same values.
 */
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useMemo, useState } from "react"
import { Button } from "../actions/Button.tsx"
import { classNames } from "../classNames.ts"
import { type Column, Table } from "../data/Table.tsx"
import classes from "./Chart.module.css"
import { colourOf, type Series, type TimeForm } from "./TimeSeries.ts"

const TimePlot = lazy(async () => ({ default: (await import("./TimePlot.tsx")).TimePlot }))

export interface TimeChartProps extends Partial<Omit<TimeForm, "axisText">> {
  /** What it shows, as "Cost by day and model". */
  readonly label: string
  /** The main facts in a sentence, for those who do not see the chart. */
  readonly summary: string
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  /** The time with this index. */
  readonly timeText: (at: number, index: number) => string
  /** A value as shown, exact: with the text of the source where numbers would round. */
  readonly valueText: (value: number | null, series: Series, index: number) => string
  /** The sum at a time, where the parts are stacked. */
  readonly totalText?: (index: number) => string
  readonly axisText: TimeForm["axisText"]
  readonly size?: "usual" | "low"
  /** Beside the button that shows the table. */
  readonly actions?: ReactNode
}

/** Where a key leads from index `at` of `count`. */
const moved = (key: string, at: number | null, count: number): number | null | undefined => {
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, (at ?? count) - 1)
    case "ArrowRight":
      return Math.min(count - 1, (at ?? -1) + 1)
    case "Home":
      return 0
    case "End":
      return count - 1
    case "Escape":
      return null
    default:
      return undefined
  }
}

export const TimeChart = ({
  actions,
  axisText,
  isStacked = false,
  kind = "lines",
  label,
  series,
  size = "usual",
  summary,
  timeText,
  times,
  totalText,
  valueText,
  zone = "reader"
}: TimeChartProps) => {
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const data = useMemo(() => ({ times, series }), [times, series])
  const form = useMemo(() => ({ kind, isStacked, zone, axisText }), [kind, isStacked, zone, axisText])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, at, times.length)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
  }
  const time = at === null ? undefined : times[at]
  const boxClass = size === "low" ? (classes["low"] ?? "") : ""
  return (
    <div className={classes["chart"]}>
      {isTable ? (
        <ValueTable {...{ label, series, timeText, times, valueText }} />
      ) : (
        /* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- The arrow keys move the cursor of the chart. */
        <div
          role="group"
          aria-roledescription="chart"
          aria-label={`${label}. ${summary} The arrow keys move over the times.`}
          tabIndex={0}
          className={classes["plot"]}
          onKeyDown={onKeyDown}
        >
          <Suspense fallback={<div className={classNames(classes["box"], boxClass)} />}>
            <TimePlot className={boxClass} data={data} form={form} at={at} onMove={setAt} />
          </Suspense>
        </div>
      )}
      <div className={classes["foot"]}>
        <ul className={classes["legend"]} aria-live="polite">
          {at !== null && time !== undefined && (
            <li>
              <b>{timeText(time, at)}</b>
            </li>
          )}
          {series.map((one, index) => (
            <li key={one.id}>
              <span
                aria-hidden
                className={classNames(classes["swatch"], classes[`swatch-${colourOf(index)}`])}
              />
              {one.label}
              {at !== null && <b>{valueText(one.values[at] ?? null, one, at)}</b>}
            </li>
          ))}
          {at !== null && totalText !== undefined && (
            <li>
              Total <b>{totalText(at)}</b>
            </li>
          )}
        </ul>
        <div>
          {actions}
          <Button kind="quiet" size="small" onPress={() => setTable(!isTable)}>
            {isTable ? "Show as chart" : "Show as table"}
          </Button>
        </div>
      </div>
    </div>
  )
}

const ValueTable = ({
  label,
  series,
  timeText,
  times,
  valueText
}: Pick<TimeChartProps, "label" | "series" | "timeText" | "times" | "valueText">) => {
  const columns: ReadonlyArray<Column<number>> = [
    { id: "time", header: "Time", cell: (index) => timeText(times[index] ?? 0, index) },
    ...series.map((one): Column<number> => ({
      id: one.id,
      header: one.label,
      align: "end",
      cell: (index) => valueText(one.values[index] ?? null, one, index)
    }))
  ]
  return (
    <Table
      caption={label}
      columns={columns}
      rows={times.map((_, index) => times.length - 1 - index)}
      rowKey={String}
    />
  )
}
