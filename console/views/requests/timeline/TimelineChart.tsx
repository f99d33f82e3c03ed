/** The lanes of a request on one time axis. The list of events has the same as text. */
import { useLayoutEffect, useRef, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { classNames } from "#console/design/classNames.ts"
import { durationText } from "#console/design/data/Duration.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import type { Bar, Lane, Mark } from "./Lanes.ts"
import * as TimeScale from "./TimeScale.ts"
import classes from "./Timeline.module.css"

/** px */
const laneHeight = 32
const axisHeight = 24
const barHeight = 16
const leastBar = 3
const margin = 8
/** Between two labels of the axis, px. */
const tickGap = 72
const mostZoom = 64

const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

export const TimelineChart = ({
  chosen,
  lanes,
  onChoose,
  times
}: {
  readonly lanes: ReadonlyArray<Lane>
  /** Of all events, Unix time in ms. */
  readonly times: ReadonlyArray<number>
  /** Index of an event. */
  readonly chosen: number
  readonly onChoose: (index: number) => void
}) => {
  const [frame, width] = useWidth()
  const [zoom, setZoom] = useState(1)
  const bars = lanes.flatMap(({ bars }) => bars)
  const busy = lanes.filter(({ kind }) => kind !== "queue" && kind !== "money").flatMap(({ bars }) => bars)
  const scale = TimeScale.make([...times, ...bars.map(({ to }) => to)], busy)
  const inner = Math.max(width * zoom - 2 * margin, 1)
  const x = (time: number) => margin + TimeScale.positionOf(scale, time) * inner
  const height = lanes.length * laneHeight
  const chosenAt = times[chosen]
  const cuts = scale.filter(({ isCut }) => isCut)
  return (
    <div className={classes["chart"]}>
      <div className={classes["plot"]} dir="ltr">
        <div className={classes["names"]} aria-hidden>
          {lanes.map(({ id, name }) => (
            <span key={id} style={{ blockSize: laneHeight }}>
              {name}
            </span>
          ))}
        </div>
        <div ref={frame} className={classes["frame"]}>
          {width > 0 && (
            <svg
              width={width * zoom}
              height={height + axisHeight}
              role="img"
              data-measured=""
              aria-label={`Timeline of ${lanes.map(({ name }) => name.toLowerCase()).join(", ")}. The list of events below has the same.`}
            >
              {lanes.map(({ id }, index) => (
                <line
                  key={id}
                  className={classes["rule"]}
                  x1={0}
                  x2={width * zoom}
                  y1={(index + 1) * laneHeight - 0.5}
                  y2={(index + 1) * laneHeight - 0.5}
                />
              ))}
              {TimeScale.ticksOf(scale, tickGap / inner).map(({ position, time }) => (
                <g key={time} className={classes["tick"]}>
                  <line x1={margin + position * inner} x2={margin + position * inner} y1={0} y2={height} />
                  <text
                    x={margin + position * inner}
                    y={height + 16}
                    textAnchor={position < 0.03 ? "start" : position > 0.97 ? "end" : "middle"}
                  >
                    {durationText(time - (scale[0]?.from ?? 0))}
                  </text>
                </g>
              ))}
              {cuts.map(({ end, from, start, to }) => (
                <g key={from} className={classes["cut"]}>
                  <rect
                    x={margin + start * inner + 2}
                    width={Math.max((end - start) * inner - 4, 1)}
                    y={0}
                    height={height}
                  />
                  <title>{durationText(to - from)} are left out here</title>
                  <text x={margin + ((start + end) / 2) * inner} y={height + 16} textAnchor="middle">
                    ⋯
                  </text>
                </g>
              ))}
              {lanes.map((lane, index) => (
                <LaneView
                  key={lane.id}
                  lane={lane}
                  y={index * laneHeight}
                  x={x}
                  chosen={chosen}
                  onChoose={onChoose}
                />
              ))}
              {chosenAt !== undefined && (
                <line className={classes["now"]} x1={x(chosenAt)} x2={x(chosenAt)} y1={0} y2={height} />
              )}
            </svg>
          )}
        </div>
      </div>
      <Row gap="half">
        <Button
          size="small"
          kind="quiet"
          aria-label="Zoom in"
          isDisabled={zoom >= mostZoom}
          onPress={() => setZoom(zoom * 2)}
        >
          +
        </Button>
        <Button
          size="small"
          kind="quiet"
          aria-label="Zoom out"
          isDisabled={zoom <= 1}
          onPress={() => setZoom(zoom / 2)}
        >
          −
        </Button>
        {cuts.length > 0 && (
          <span data-measured className={classes["note"]}>
            ⋯ time in which nothing ran is left out
          </span>
        )}
      </Row>
    </div>
  )
}

const LaneView = ({
  chosen,
  lane,
  onChoose,
  x,
  y
}: {
  readonly lane: Lane
  readonly y: number
  readonly x: (time: number) => number
  readonly chosen: number
  readonly onChoose: (index: number) => void
}) => {
  const middle = y + laneHeight / 2
  const barView = ({ from, index, isOpen, label, look, to }: Bar) => {
    const length = Math.max(x(to) - x(from), leastBar)
    return (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- The list below is for the keyboard.
      <g
        key={`bar ${index}`}
        className={classNames(classes["bar"], classes[look], classes[lane.kind])}
        onClick={() => onChoose(index)}
      >
        <title>{`${label}, ${durationText(to - from)}${isOpen ? " so far" : ""}`}</title>
        <rect x={x(from)} y={middle - barHeight / 2} width={length} height={barHeight} rx={3} />
        {length > label.length * 7 + 16 && (
          <text x={x(from) + 10} y={middle + 4}>
            {label}
          </text>
        )}
      </g>
    )
  }
  const markView = ({ at, index, look }: Mark) => (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- The list below is for the keyboard.
    <circle
      key={`mark ${index}`}
      className={classNames(classes["mark"], classes[look], index === chosen && classes["chosen"])}
      cx={x(at)}
      cy={middle}
      r={index === chosen ? 6 : 4}
      onClick={() => onChoose(index)}
    />
  )
  return (
    <g>
      {lane.bars.map(barView)}
      {lane.marks.map(markView)}
    </g>
  )
}
