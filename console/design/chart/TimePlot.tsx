/** The drawn part of a chart over time, on uPlot: a canvas, which screen readers do not see. A chunk of its own. */
import { useEffect, useRef, useState } from "react"
import UPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import classes from "./Chart.module.css"
import { colourOf, stacked, stepOf, type TimeData, type TimeForm } from "./TimeSeries.ts"

const timeText = (zone: TimeForm["zone"], options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { ...options, ...(zone === "utc" ? { timeZone: "UTC" } : {}) })

/** Texts of the axis for marks that are so far apart, ms. */
const axisTimes = (zone: TimeForm["zone"], apart: number) => {
  if (apart < 86_400_000) return timeText(zone, { hour: "2-digit", minute: "2-digit" })
  return apart < 27 * 86_400_000
    ? timeText(zone, { month: "short", day: "numeric" })
    : timeText(zone, { year: "numeric", month: "short" })
}

/** Canvas does not know custom properties, so a probe resolves them for the theme in force. */
const resolver = (root: HTMLElement) => {
  const probe = document.createElement("span")
  probe.hidden = true
  root.append(probe)
  return {
    colour: (name: string) => {
      probe.style.color = `var(${name})`
      return getComputedStyle(probe).color
    },
    end: () => probe.remove()
  }
}

const alignedOf = (data: TimeData, { isStacked }: TimeForm): UPlot.AlignedData => {
  const values = isStacked ? stacked(data) : data.series.map(({ values }) => values)
  // uPlot draws in order, so the highest of the stack comes first.
  const ordered = isStacked ? values.toReversed() : values
  return [[...data.times], ...ordered.map((one) => [...one])] as UPlot.AlignedData
}

const optionsOf = (
  root: HTMLElement,
  data: TimeData,
  form: TimeForm,
  onMove: (index: number | null) => void
): UPlot.Options => {
  const { colour, end } = resolver(root)
  const quiet = colour("--quiet")
  const grid = { stroke: colour("--line"), width: 1 }
  const step = stepOf(data.times)
  const colours = data.series.map((_, index) => colour(`--series-${colourOf(index)}`))
  const ordered = form.isStacked ? colours.toReversed() : colours
  const font = `12px ${getComputedStyle(root).fontFamily}`
  end()
  const bars = UPlot.paths.bars?.({ size: [0.72, 40], radius: 0.08 })
  const axis = { stroke: quiet, font, grid, ticks: { show: false }, gap: 6 }
  return {
    width: root.clientWidth,
    height: root.clientHeight,
    ms: 1,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { show: form.kind === "lines" } },
    ...(form.zone === "utc" ? { tzDate: (at: number) => UPlot.tzDate(new Date(at), "Etc/UTC") } : {}),
    scales: {
      x: {
        time: true,
        range: (_, least, most) =>
          form.kind === "bars"
            ? [least - step / 2, most + step / 2]
            : [least, most === least ? most + step : most]
      },
      y: { range: (_, least, most) => [Math.min(0, least ?? 0), most > 0 ? most * 1.08 : 1] }
    },
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        values: (_, marks, _axis, _space, apart) => {
          const texts = axisTimes(form.zone, apart)
          return marks.map((at) => texts.format(at))
        }
      },
      { ...axis, size: 64, values: (_, marks) => marks.map(form.axisText) }
    ],
    series: [
      {},
      ...ordered.map((stroke): UPlot.Series => ({
        stroke,
        width: form.kind === "bars" ? 0 : 1.5,
        points: { show: form.kind === "lines" && data.times.length < 2 },
        ...(form.kind === "bars" ? { fill: stroke, ...(bars === undefined ? {} : { paths: bars }) } : {})
      }))
    ],
    hooks: { setCursor: [({ cursor }) => onMove(cursor.idx ?? null)] }
  }
}

/** Changes when the theme does. */
const useTheme = (): boolean => {
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches)
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)")
    const note = () => setDark(media.matches)
    media.addEventListener("change", note)
    return () => media.removeEventListener("change", note)
  }, [])
  return isDark
}

export const TimePlot = ({
  at,
  className,
  data,
  form,
  onMove
}: {
  readonly className: string
  readonly data: TimeData
  readonly form: TimeForm
  /** The time of the cursor, as an index; `null`: none. */
  readonly at: number | null
  readonly onMove: (index: number | null) => void
}) => {
  const root = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const isDark = useTheme()
  const move = useRef(onMove)
  useEffect(() => {
    move.current = onMove
  })
  useEffect(() => {
    const element = root.current
    if (element === null) return
    const drawn = new UPlot(
      optionsOf(element, data, form, (index) => move.current(index)),
      alignedOf(data, form),
      element
    )
    plot.current = drawn
    const watch = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height: element.clientHeight })
    )
    watch.observe(element)
    return () => {
      watch.disconnect()
      drawn.destroy()
    }
  }, [data, form, isDark])
  useEffect(() => {
    const drawn = plot.current
    const time = at === null ? undefined : data.times[at]
    if (drawn === null || drawn.cursor.idx === at) return
    drawn.setCursor({ left: time === undefined ? -10 : drawn.valToPos(time, "x"), top: 0 }, false)
  }, [at, data])
  // Time runs from left to right in every language.
  return <div ref={root} dir="ltr" aria-hidden className={`${classes["box"] ?? ""} ${className}`} />
}
