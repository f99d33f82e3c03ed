/** `/{ownerName}/{modelName}`. Reserved and other names are no models (decisions, "Owner and model names"). */
import { isModelName, isOwnerName } from "#domain/ModelEndpoint.ts"

export interface EndpointParams {
  readonly ownerName: string
  readonly modelName: string
}

export const isEndpoint = ({ ownerName, modelName }: EndpointParams): boolean =>
  isOwnerName(ownerName) && isModelName(modelName)

export const endpointOf = ({ ownerName, modelName }: EndpointParams): string => `${ownerName}/${modelName}`
