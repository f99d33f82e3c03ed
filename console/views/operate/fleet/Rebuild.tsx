/** Rebuilds one read model or all from the log, and shows how far it is. Leaving the dialog stops it; nothing has changed then. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryText } from "#console/api/Client.ts"
import { lines } from "#console/api/Lines.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { durationText } from "#console/design/data/Duration.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { topics } from "../parts/Live.ts"
import { useRefusal } from "../parts/Role.ts"
import { rebuiltFraction } from "./Distance.ts"

type Progress =
  | { readonly state: "asked" }
  | { readonly state: "running"; readonly elapsedMs: number }
  | { readonly state: "ended"; readonly isDone: boolean; readonly message: string }
  | { readonly state: "failed"; readonly error: unknown }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** What a line says; `null` for one that says nothing new. */
const progressOf = (line: unknown): Progress | null => {
  if (!isObject(line)) return null
  if (line["type"] === "running") return { state: "running", elapsedMs: Number(line["elapsedMs"]) }
  return line["type"] === "result"
    ? { state: "ended", isDone: line["ok"] === true, message: String(line["message"] ?? "") }
    : null
}

/** The list of read models is live, and has how far each copy is. */
const Building = ({ elapsedMs, name }: { readonly elapsedMs: number; readonly name: string | null }) => {
  const { data } = useQuery(topics.projections)
  const fraction = rebuiltFraction(data?.projections ?? [], name)
  return <ProgressBar label={`Building for ${durationText(elapsedMs)}`} fraction={fraction} />
}

const Said = ({
  name,
  progress,
  what
}: {
  readonly name: string | null
  readonly progress: Progress
  readonly what: string
}) => {
  switch (progress.state) {
    case "asked":
      return (
        <p>
          A copy of {what} is built from the log beside the one in use, and takes its place when it is done.
          It takes a second for each 20,000 events or so. Requests go on.
        </p>
      )
    case "running":
      return <Building elapsedMs={progress.elapsedMs} name={name} />
    case "ended":
      return progress.isDone ? (
        <Notice kind="good" title="Rebuilt and in use" />
      ) : (
        <Notice kind="alarm" title="It could not be rebuilt">
          <p>{progress.message}</p>
        </Notice>
      )
    case "failed":
      return <Notice kind="alarm" error={progress.error} />
  }
}

/** @param name `null`: all. */
export const Rebuild = ({ name }: { readonly name: string | null }) => {
  const refusal = useRefusal("operator")
  const [progress, setProgress] = useState<Progress | null>(null)
  const [leaving, setLeaving] = useState<AbortController | null>(null)
  const what = name ?? "all read models"
  const close = () => {
    leaving?.abort()
    setProgress(null)
  }
  const begin = async () => {
    const controller = new AbortController()
    setLeaving(controller)
    setProgress({ state: "running", elapsedMs: 0 })
    try {
      const query = name === null ? "" : queryText({ name })
      const path = `/api/admin/v1/projections/rebuild${query}`
      for await (const line of lines(path, { method: "POST", signal: controller.signal })) {
        const next = progressOf(line)
        if (next !== null) setProgress(next)
      }
    } catch (error) {
      if (!controller.signal.aborted) setProgress({ state: "failed", error })
    }
  }
  const isRunning = progress?.state === "running"
  return (
    <>
      <Button
        size={name === null ? "usual" : "small"}
        refusal={refusal}
        aria-label={`Rebuild ${what}`}
        onPress={() => setProgress({ state: "asked" })}
      >
        {name === null ? "Rebuild all" : "Rebuild"}
      </Button>
      <Dialog
        title={`Rebuild ${what}`}
        isOpen={progress !== null}
        onClose={close}
        role="alertdialog"
        actions={
          <>
            <Button onPress={close}>{isRunning ? "Stop" : "Close"}</Button>
            {progress?.state === "asked" && (
              <Button kind="primary" onPress={() => void begin()}>
                Rebuild
              </Button>
            )}
          </>
        }
      >
        {progress !== null && <Said name={name} progress={progress} what={what} />}
      </Dialog>
    </>
  )
}
