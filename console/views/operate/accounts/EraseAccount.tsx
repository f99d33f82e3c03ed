/** Erases an account in steps, after its id was typed. Leaving the view stops the steps; a server then goes on by itself. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { useRefusal } from "../parts/Role.ts"

type Round = AdminAnswer<"eraseAccount">["round"]

interface Progress {
  /** Requests and files. */
  readonly erased: number
  /** Still being stopped, or to be tried again. */
  readonly left: number
  readonly isOver: boolean
}

/** Between two rounds that erase nothing while requests end, ms. */
const pauseMs = 1_000

const paused = () => new Promise<void>((resolve) => setTimeout(resolve, pauseMs))

const eraseAll = async (accountId: string, signal: AbortSignal, report: (progress: Progress) => void) => {
  let total = 0
  let round: Round | null = null
  while (!signal.aborted) {
    const step: AdminAnswer<"eraseAccount"> = await admin("eraseAccount", { accountId, round }, signal)
    round = step.round
    const { erased, failed, open, place } = round
    report({ erased: total + erased, left: open + failed, isOver: false })
    if (place !== null) continue
    total += erased
    if (erased > 0) continue
    if (open + failed === 0 || !step.goesOn)
      return report({ erased: total, left: open + failed, isOver: true })
    await paused()
  }
}

export const EraseAccount = ({ accountId }: { readonly accountId: string }) => {
  const client = useQueryClient()
  const refusal = useRefusal("owner")
  const [isAsked, setAsked] = useState(false)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [error, setError] = useState<unknown>(null)
  const leaving = useRef(new AbortController())
  useEffect(() => {
    leaving.current = new AbortController()
    const { current } = leaving
    return () => current.abort()
  }, [])
  const begin = () => {
    const { signal } = leaving.current
    setError(null)
    setProgress({ erased: 0, left: 0, isOver: false })
    void eraseAll(accountId, signal, setProgress)
      .catch((cause: unknown) => {
        if (!signal.aborted) setError(cause)
      })
      .finally(() => void client.invalidateQueries({ queryKey: adminKeyOf("listAccounts") }))
    return Promise.resolve()
  }
  const isRunning = progress !== null && !progress.isOver && error === null
  return (
    <Section
      title="Erase the account"
      lead="Closes it for good and erases its inputs, outputs and files. Its events and payments stay on the log."
      actions={
        <Button kind="danger" refusal={refusal} isDisabled={isRunning} onPress={() => setAsked(true)}>
          Erase account
        </Button>
      }
    >
      {isRunning && (
        <ProgressBar
          label={`${progress.erased.toLocaleString()} requests and files erased${progress.left > 0 ? `, ${progress.left} still to end` : ""}`}
          fraction={null}
        />
      )}
      {progress?.isOver === true && (
        <Notice kind="good" title="The account is erased">
          <p>
            {progress.erased.toLocaleString()} requests and files were erased.
            {progress.left > 0 && ` ${progress.left} more will be by a server.`}
          </p>
        </Notice>
      )}
      {error !== null && <Notice kind="alarm" title="The erasing stopped" error={error} />}
      <ConfirmDialog
        title="Erase this account?"
        action="Erase for good"
        isDangerous
        typed={accountId}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={begin}
      >
        <p>Its keys stop at once. Inputs, outputs and files are erased and cannot be brought back.</p>
      </ConfirmDialog>
    </Section>
  )
}
