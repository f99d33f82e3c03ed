/** The links to the areas of the console, for an account and for operators. */
import { Link } from "@tanstack/react-router"
import type { Session } from "#console/api/Session.ts"
import classes from "./Shell.module.css"

const ofAccounts = [
  ["/", "Home"],
  ["/models", "Models"],
  ["/requests", "Requests"],
  ["/usage", "Usage"],
  ["/webhooks", "Webhooks"],
  ["/files", "Files"],
  ["/keys", "Keys"],
  ["/assistants", "Assistants"]
] as const

const ofOperators = [
  ["/operate/overview", "Overview"],
  ["/operate/audit/log", "Log and proofs"]
] as const

export const Navigation = ({
  onFollow,
  session
}: {
  readonly session: Session
  /** Called when a link is followed. */
  readonly onFollow?: () => void
}) => (
  <nav aria-label="Console" className={classes["navigation"]}>
    {session.account !== null && <Links title="Account" links={ofAccounts} onFollow={onFollow} />}
    {session.operator !== null && <Links title="Operate" links={ofOperators} onFollow={onFollow} />}
  </nav>
)

const Links = ({
  links,
  onFollow,
  title
}: {
  readonly title: string
  readonly links: typeof ofAccounts | typeof ofOperators
  readonly onFollow: (() => void) | undefined
}) => (
  <div>
    <p className={classes["group"]}>{title}</p>
    <ul>
      {links.map(([to, label]) => (
        <li key={to}>
          <Link
            to={to}
            activeOptions={{ exact: to === "/" }}
            {...(onFollow === undefined ? {} : { onClick: onFollow })}
          >
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </div>
)
