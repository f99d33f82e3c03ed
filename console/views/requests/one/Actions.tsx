/** What can be done with a request: cancel it, run its input again, erase its payloads, copy the call. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "#console/api/Client.ts"
import { type AccountSession, missingScope, type Session } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import * as Call from "./Call.ts"
import { RunAgainDialog } from "./RunAgainDialog.tsx"
import { hasEnded, partsOf, type RetrievedRequest } from "./UseRequest.ts"

interface Props {
  readonly request: RetrievedRequest
  readonly account: AccountSession
  readonly urls: Session["urls"]
  /** Reads the request again. */
  readonly onDone: () => Promise<void>
}

type Question = "cancel" | "again" | "erase"

export const Actions = ({ account, onDone, request, urls }: Props) => {
  const [question, ask] = useState<Question | null>(null)
  const navigate = useNavigate()
  const { erasedAt, id, modelEndpoint } = request
  const isEnded = hasEnded(request)
  const mayNot = missingScope(account, "requests:write")
  const close = () => ask(null)
  const isErased = erasedAt !== null
  return (
    <>
      {!isEnded && (
        <Button refusal={mayNot} onPress={() => ask("cancel")}>
          Cancel request
        </Button>
      )}
      <Button refusal={isErased ? "The input was erased." : mayNot} onPress={() => ask("again")}>
        Run again
      </Button>
      {!isErased && (
        <CopyButton text={Call.curl(urls.queueUrl, request)} what="as curl" label="Copy as curl" />
      )}
      <Button
        kind="danger"
        refusal={
          isErased
            ? "Input and output are erased already."
            : (mayNot ?? (isEnded ? null : "Only a request that has ended can be erased."))
        }
        onPress={() => ask("erase")}
      >
        Erase payloads
      </Button>

      <ConfirmDialog
        title="Cancel this request?"
        action="Cancel request"
        isDangerous
        isOpen={question === "cancel"}
        onClose={close}
        onConfirm={async () => {
          await call("cancelRequestByPut", { params: { ...partsOf(modelEndpoint), requestId: id } })
          await onDone()
        }}
      >
        <p>
          It ends without an output and costs nothing, unless the model had already delivered something by
          then.
        </p>
      </ConfirmDialog>
      {question === "again" && (
        <RunAgainDialog
          request={request}
          onClose={close}
          onSubmitted={(requestId) => void navigate({ to: "/requests/$requestId", params: { requestId } })}
        />
      )}
      <ConfirmDialog
        title="Erase input and output?"
        action="Erase payloads"
        typed="erase"
        isDangerous
        isOpen={question === "erase"}
        onClose={close}
        onConfirm={async () => {
          await call("eraseRequestPayloads", { params: { requestId: id } })
          await onDone()
        }}
      >
        <p>These are lost for good, also for operators and in later backups:</p>
        <ul>
          <li>the input and the output</li>
          <li>
            {request.media.length === 1 ? "the stored file" : `the ${request.media.length} stored files`} of
            the output, whose links stop working
          </li>
          <li>the bodies of its webhooks, which cannot be sent again</li>
        </ul>
        <p>Status, times, cost, metadata, log lines and the timeline stay.</p>
      </ConfirmDialog>
    </>
  )
}
