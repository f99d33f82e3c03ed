/** Who is signed in, and the way out. */
import { useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { send } from "#console/api/Client.ts"
import type { Session } from "#console/api/Session.ts"
import { Menu } from "#console/design/overlays/Menu.tsx"

export const SessionMenu = ({
  onShortcuts,
  session
}: {
  readonly session: Session
  /** Shows the list of shortcuts. */
  readonly onShortcuts: () => void
}) => {
  const client = useQueryClient()
  const router = useRouter()
  const signOut = async () => {
    await send("/session", { method: "DELETE" })
    client.clear()
    await router.navigate({ to: "/sign-in" })
  }
  const name = session.account?.keyName ?? session.operator?.name ?? ""
  return (
    <Menu
      label="Session"
      trigger={name}
      entries={[
        { id: "sessions", label: "Sessions", onAction: () => void router.navigate({ to: "/sessions" }) },
        { id: "docs", label: "API reference", onAction: () => window.open("../docs", "_self") },
        { id: "shortcuts", label: "Keyboard shortcuts", onAction: onShortcuts },
        { id: "sign-out", label: "Sign out", onAction: () => void signOut() }
      ]}
    />
  )
}
