/** A small line without axes beside a figure. Its label says in words what it shows. */
import classes from "./Chart.module.css"

const width = 100
const height = 32
/** Room for half of the line's width at the edges. */
const margin = 2

interface Point {
  readonly x: number
  readonly y: number
}

/** The runs of known values, from left to right. The scale begins at 0, or at the least value below it. */
const runsOf = (values: ReadonlyArray<number | null>): ReadonlyArray<ReadonlyArray<Point>> => {
  const known = values.filter((value) => value !== null)
  const least = Math.min(0, ...known)
  const span = Math.max(0, ...known) - least || 1
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const runs: Array<Array<Point>> = []
  let isOpen = false
  values.forEach((value, index) => {
    if (value === null) {
      isOpen = false
      return
    }
    if (!isOpen) runs.push([])
    isOpen = true
    const y = height - margin - ((value - least) / span) * (height - 2 * margin)
    runs.at(-1)?.push({ x: index * step, y })
  })
  return runs
}

const textOf = (points: ReadonlyArray<Point>): string =>
  points.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ")

export const Sparkline = ({
  label,
  values
}: {
  /** As "Queue depth in the last hour, now 12, at most 40". */
  readonly label: string
  /** Oldest first; `null`: not known. */
  readonly values: ReadonlyArray<number | null>
}) => (
  <svg
    role="img"
    aria-label={label}
    className={classes["sparkline"]}
    viewBox={`0 0 ${width} ${height}`}
    preserveAspectRatio="none"
  >
    {runsOf(values).map((points) => (
      <polyline key={points[0]?.x} points={textOf(points)} vectorEffect="non-scaling-stroke" />
    ))}
  </svg>
)
