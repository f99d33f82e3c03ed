/** Lines of the log, the newest at the end, which stays in view while the reader is there. */
import { useEffect, useRef } from "react"
import { Time } from "#console/design/data/Time.tsx"
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"
import classes from "../Operate.module.css"
import type { Line } from "./ServerLogView.tsx"

const kinds: Readonly<Record<Line["level"], BadgeKind>> = {
  trace: "neutral",
  debug: "neutral",
  info: "info",
  warn: "warning",
  error: "alarm",
  fatal: "alarm"
}

/** Nearer to the end than this counts as there, px. */
const nearPx = 48

export const LogLines = ({
  isPaused,
  lines
}: {
  readonly lines: ReadonlyArray<Line>
  readonly isPaused: boolean
}) => {
  const frame = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const { current } = frame
    if (current !== null && isAtEnd.current && !isPaused) current.scrollTop = current.scrollHeight
  }, [lines, isPaused])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keyboard.
    <div
      ref={frame}
      tabIndex={0}
      role="region"
      aria-label="Lines of the server log"
      data-measured
      className={classes["log"]}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx
      }}
    >
      <ol>
        {lines.map(({ at, cause, facts, level, message, seq }) => (
          <li key={`${seq} ${at}`}>
            <Time at={at} />
            <span>
              <Badge kind={kinds[level]}>{level}</Badge>
            </span>
            <div>
              {message}{" "}
              <span className={classes["facts"]}>
                {Object.entries(facts).map(([name, value]) => (
                  <span key={name}>
                    <b>{name}</b>={value}{" "}
                  </span>
                ))}
              </span>
              {cause !== null && <pre>{cause}</pre>}
            </div>
          </li>
        ))}
      </ol>
    </div>
  )
}
