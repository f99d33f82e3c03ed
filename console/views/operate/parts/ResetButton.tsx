/** Resets a provider on all nodes, after a question. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { topics } from "./Live.ts"
import { useRefusal } from "./Role.ts"

export const ResetButton = ({ name }: { readonly name: string }) => {
  const refusal = useRefusal("operator")
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const reset = async () => {
    await admin("resetProvider", { name })
    await Promise.all([
      client.invalidateQueries({ queryKey: topics.providers.queryKey }),
      client.invalidateQueries({ queryKey: topics.overview.queryKey })
    ])
  }
  return (
    <>
      <Button size="small" refusal={refusal} onPress={() => setOpen(true)} aria-label={`Reset ${name}`}>
        Reset
      </Button>
      <ConfirmDialog
        title={`Reset ${name}?`}
        action="Reset provider"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={reset}
      >
        <p>
          Its circuit is closed and its pause ends, on all nodes at once. Waiting requests run there. If it
          still fails, its circuit opens again.
        </p>
      </ConfirmDialog>
    </>
  )
}
