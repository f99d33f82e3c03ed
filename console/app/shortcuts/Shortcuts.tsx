/** Listens for shortcuts, adds those that all views have, and lists them at `?`. */
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { missingRole, type Session } from "#console/api/Session.ts"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { isTaken, match } from "./Matching.ts"
import * as Preference from "./Preference.ts"
import { currentGroups, type Shortcut, useGroups, useShortcuts } from "./Registry.ts"
import classes from "./Shortcuts.module.css"

/** The longest pause between two keys of a shortcut, ms. */
const longestPauseMs = 1_200

const ofAccounts = [
  ["g h", "home", "/"],
  ["g m", "models", "/models"],
  ["g r", "requests", "/requests"],
  ["g u", "usage", "/usage"],
  ["g w", "webhooks", "/webhooks"],
  ["g f", "files", "/files"],
  ["g k", "keys", "/keys"],
  ["g a", "assistants", "/assistants"]
] as const

const ofOperators = [["g o", "the overview of the service", "/operate/overview"]] as const

const ofAuditors = [
  ["g l", "the log", "/operate/audit/log"],
  ["g b", "the books", "/operate/audit/books"],
  ["g j", "the journal", "/operate/audit/journal"],
  ["g p", "the proof of a balance", "/operate/audit/balance"]
] as const

const focusSearch = () => {
  const main = document.getElementById("main")
  const field =
    main?.querySelector<HTMLElement>("input[type=search]") ?? main?.querySelector<HTMLElement>("input")
  field?.focus()
}

export const Shortcuts = ({
  isListed,
  onList,
  session
}: {
  readonly session: Session
  /** Whether the list is shown. */
  readonly isListed: boolean
  readonly onList: (isListed: boolean) => void
}) => {
  const router = useRouter()
  const { account, operator } = session
  const places = [
    ...(account === null ? [] : ofAccounts),
    ...(operator === null ? [] : ofOperators),
    ...(operator === null || missingRole(operator, "auditor") !== null ? [] : ofAuditors)
  ]
  useShortcuts("Everywhere", [
    { keys: "?", label: "Show this list", run: () => onList(true) },
    { keys: "/", label: "Go to the search or the first field", run: focusSearch }
  ])
  useShortcuts(
    "Go to",
    places.map(([keys, label, to]) => ({
      keys,
      label: `Go to ${label}`,
      run: () => void router.navigate({ to })
    }))
  )
  useListening()
  return <List isOpen={isListed} onClose={() => onList(false)} />
}

const useListening = () => {
  const isOn = Preference.useIsOn()
  useEffect(() => {
    if (!isOn) return
    let before = ""
    let at = 0
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTaken(event) || event.key === "Shift") return
      const isSoon = event.timeStamp - at < longestPauseMs
      const both = before !== "" && isSoon ? `${before} ${event.key}` : event.key
      const found = match(currentGroups(), both)
      before = found.type === "beginning" ? both : ""
      at = event.timeStamp
      if (found.type === "none") return
      event.preventDefault()
      if (found.type === "whole") found.shortcut.run()
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [isOn])
}

const List = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const groups = useGroups()
  const isOn = Preference.useIsOn()
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <Stack>
        <Switch isSelected={isOn} onChange={Preference.set}>
          Use single keys as shortcuts
        </Switch>
        {groups.map(({ shortcuts, title }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl className={classes["list"]}>
              {shortcuts.map((shortcut) => (
                <Line key={shortcut.keys} shortcut={shortcut} />
              ))}
            </dl>
          </section>
        ))}
        <section aria-label="In dialogs">
          <h3>In dialogs</h3>
          <dl className={classes["list"]}>
            <Line shortcut={{ keys: "Escape", label: "Close" }} />
          </dl>
        </section>
      </Stack>
    </Dialog>
  )
}

const Line = ({ shortcut: { keys, label } }: { readonly shortcut: Pick<Shortcut, "keys" | "label"> }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      {keys.split(" ").map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dd>
  </div>
)
