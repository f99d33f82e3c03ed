/** The links to the areas of the console, for an account and for operators. */
import { Link } from "@tanstack/react-router"
import { missingRole, type Session } from "#console/api/Session.ts"
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

const ofOperators = [["/operate/overview", "Overview"]] as const

const ofAuditors = [
  ["/operate/audit/log", "Log"],
  ["/operate/audit/books", "Books"],
  ["/operate/audit/journal", "Journal"],
  ["/operate/audit/balance", "Proof of a balance"],
  ["/operate/audit/actions", "Actions"]
] as const

const ofOwners = [["/operate/operators", "Operators"]] as const

type LinkList = typeof ofAccounts | typeof ofOperators | typeof ofAuditors | typeof ofOwners

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
    {mayDo(session, "auditor") && <Links title="Audit" links={ofAuditors} onFollow={onFollow} />}
    {mayDo(session, "owner") && <Links title="Access" links={ofOwners} onFollow={onFollow} />}
  </nav>
)

const mayDo = ({ operator }: Session, role: "auditor" | "owner"): boolean =>
  operator !== null && missingRole(operator, role) === null

const Links = ({
  links,
  onFollow,
  title
}: {
  readonly title: string
  readonly links: LinkList
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
