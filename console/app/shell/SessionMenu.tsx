/** Who is signed in: the account, the operator or both; their sessions, and the way out. */
import { useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { consolePath } from "#console/api/Client.ts"
import { closeSession, type Holder, type Session } from "#console/api/Session.ts"
import { Menu, type MenuEntry } from "#console/design/overlays/Menu.tsx"
import classes from "./Shell.module.css"

export const SessionMenu = ({
  onShortcuts,
  session
}: {
  readonly session: Session
  /** Shows the list of shortcuts. */
  readonly onShortcuts: () => void
}) => {
  const { account, operator } = session
  const client = useQueryClient()
  const router = useRouter()

  const signOut = async (holder?: Holder) => {
    const left = await closeSession(holder)
    client.clear()
    // The issuer would sign in again without a question.
    if (left.signOut !== null) return location.assign(left.signOut)
    await router.invalidate()
    if (left.account === null && left.operator === null) await router.navigate({ to: "/sign-in" })
  }

  const goTo = (to: "/sessions" | "/sign-in") => () => void router.navigate({ to })
  const isBoth = account !== null && operator !== null
  const entries: ReadonlyArray<MenuEntry | null> = [
    { id: "sessions", label: "Sessions", onAction: goTo("/sessions") },
    account === null && session.serves.account
      ? { id: "account", label: "Sign in to an account", onAction: goTo("/sign-in") }
      : null,
    operator === null && session.serves.operator
      ? { id: "operator", label: "Sign in as an operator", onAction: goTo("/sign-in") }
      : null,
    { id: "docs", label: "API reference", onAction: () => location.assign(`${consolePath}/../docs`) },
    { id: "shortcuts", label: "Keyboard shortcuts", onAction: onShortcuts },
    isBoth
      ? { id: "out-account", label: `Sign out ${account.keyName}`, onAction: () => void signOut("account") }
      : null,
    isBoth
      ? { id: "out-operator", label: `Sign out ${operator.name}`, onAction: () => void signOut("operator") }
      : null,
    { id: "out", label: isBoth ? "Sign out both" : "Sign out", onAction: () => void signOut() }
  ]

  return (
    <Menu
      label={`${namesOf(session)}: session`}
      trigger={<Who session={session} />}
      entries={entries.filter((entry) => entry !== null)}
    />
  )
}

/** The key of the account, and the operator with the role. */
/** What is shown of it, so that people who speak to their computer can say it. */
const namesOf = ({ account, operator }: Session): string =>
  [account?.keyName ?? null, operator === null ? null : `${operator.name} (${operator.role})`]
    .filter((name) => name !== null)
    .join(" ")

const Who = ({ session: { account, operator } }: { readonly session: Session }) => (
  <span className={classes["who"]}>
    {account !== null && <span>{account.keyName}</span>}
    {operator !== null && (
      <span className={account === null ? undefined : classes["second"]}>
        {operator.name} ({operator.role})
      </span>
    )}
    <span aria-hidden>▾</span>
  </span>
)
