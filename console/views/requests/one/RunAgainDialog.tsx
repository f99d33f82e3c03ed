/** Asks before the same input is run again: it tells today's price, and leads to the playground to change the input. */
import { useQuery } from "@tanstack/react-query"
import { apiQuery } from "#console/api/Queries.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import * as InputLink from "#console/views/models/playground/InputLink.ts"
import * as Again from "./Again.ts"
import * as Call from "./Call.ts"
import { partsOf, type RetrievedRequest } from "./UseRequest.ts"

export const RunAgainDialog = ({
  onClose,
  onSubmitted,
  request
}: {
  readonly request: RetrievedRequest
  readonly onClose: () => void
  /** @param id of the new request. */
  readonly onSubmitted: (id: string) => void
}) => {
  const { modelEndpoint } = request
  const { modelName: name, ownerName: owner } = partsOf(modelEndpoint)
  const fragment = InputLink.fragmentOf(Call.inputOf(request))
  const estimate = useQuery(
    apiQuery("estimatePrice", { payload: { modelEndpoint, input: Call.inputOf(request) } })
  )
  return (
    <ConfirmDialog
      title="Run again?"
      action="Run again"
      isOpen
      onClose={onClose}
      onConfirm={async () => onSubmitted(await Again.submit(request))}
    >
      <p>
        The same input and metadata go to <code>{modelEndpoint}</code> as a new request, without the webhook.
      </p>
      {estimate.data !== undefined && (
        <p>
          It will cost {estimate.data.isMaximum ? "at most" : "about"}{" "}
          <Money amount={estimate.data.estimatedCost} />.
        </p>
      )}
      {estimate.isPending && <Skeleton lines={1} label="Estimating the price" />}
      {estimate.error !== null && (
        <Notice kind="warning" title="Its price is not known" error={estimate.error} />
      )}
      <div>
        <LinkButton
          to="/models/$owner/$name"
          params={{ owner, name }}
          {...(fragment !== null && { hash: fragment.slice(1) })}
          size="small"
        >
          {fragment === null
            ? "Open the playground, without this input"
            : "Change the input in the playground"}
        </LinkButton>
      </div>
    </ConfirmDialog>
  )
}
