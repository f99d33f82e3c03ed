/** The signing secret: shown on demand, rotated, and how to verify with it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "#console/api/Client.ts"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import { missingScope } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { Verify } from "./Verify.tsx"

const graces = [
  { value: "86400", label: "For 24 hours" },
  { value: "3600", label: "For one hour" },
  { value: "0", label: "No longer: the secret has leaked" }
] as const

export const Secret = () => {
  const { account } = useRouteContext({ from: "/shell/account" })
  const client = useQueryClient()
  const [isShown, setShown] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const [grace, setGrace] = useState<(typeof graces)[number]["value"]>("86400")
  const secret = useQuery({ ...apiQuery("getSigningSecret", {}), enabled: isShown, gcTime: 0 })
  const rotation = useMutation({
    mutationFn: () => call("rotateSigningSecret", { payload: { grace: Number(grace) } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf("getSigningSecret") })
  })
  const key = isShown ? secret.data?.key : undefined
  const until = rotation.data?.previousKeyExpiresAt ?? null
  return (
    <Stack gap={3}>
      <Section title="Signing secret" lead="Receivers verify with it that a delivery comes from here.">
        <Row>
          <code>{key ?? "whsec_••••••••••••••••••••"}</code>
          <Button onPress={() => setShown(!isShown)}>{isShown ? "Hide" : "Show secret"}</Button>
          {key !== undefined && <CopyButton text={key} what="signing secret" />}
          <Button refusal={missingScope(account, "webhooks:write")} onPress={() => setRotating(true)}>
            Rotate
          </Button>
        </Row>
        {secret.isError && isShown && <Notice kind="alarm" error={secret.error} />}
        {rotation.data !== undefined && (
          <Notice kind="good" title="The secret was rotated">
            {until === null ? (
              "Earlier secrets are invalid."
            ) : (
              <p>
                The previous one also signs until <Time at={until} form="exact" />. Give receivers the new one
                by then.
              </p>
            )}
          </Notice>
        )}
      </Section>
      <Verify />
      <ConfirmDialog
        title="Rotate the signing secret"
        action="Rotate"
        isDangerous={grace === "0"}
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        onConfirm={() => rotation.mutateAsync()}
      >
        <p>A new secret signs at once. Deliveries carry both signatures while the previous one is valid.</p>
        <Select label="The previous one stays valid" value={grace} choices={graces} onChange={setGrace} />
      </ConfirmDialog>
    </Stack>
  )
}
