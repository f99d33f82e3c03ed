/** Claims that the read model of deliveries may not show yet, so that a search does not find their deliveries again. */
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export interface RecentClaims {
  readonly add: (id: DeliveryId, position: GlobalPosition.GlobalPosition) => void
  /** Those that a read model at `position` does not show. */
  readonly after: (position: GlobalPosition.GlobalPosition) => ReadonlyArray<DeliveryId>
}

interface Claim {
  readonly id: DeliveryId
  readonly position: GlobalPosition.GlobalPosition
}

export const make = (): RecentClaims => {
  /** In the order of their positions, as they were acknowledged. */
  let claims: Array<Claim> = []
  return {
    add: (id, position) => {
      claims.push({ id, position })
    },
    after: (position) => {
      const first = claims.findIndex((claim) => !GlobalPosition.isReached(claim.position, position))
      claims = first === -1 ? [] : claims.slice(first)
      return claims.map(({ id }) => id)
    }
  }
}
