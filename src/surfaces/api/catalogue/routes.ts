/** GET …/limit: the offered types and amounts. Unsigned the public catalogue, signed the merchant's own. */

import { signedFields } from '../../../../sdk/signature.ts'
import { type Catalogue, flowOf, type PaymentLimit } from '../../../domain/catalogue/payment-type.ts'
import { readAvailable, readCatalogue } from '../../../domain/catalogue/store.ts'
import { batched } from '../../../platform/batched.ts'
import type { Db } from '../../../platform/db.ts'
import { type Http, limitedByAddress, readQuery } from '../../../platform/http.ts'
import type { RateLimit } from '../../../platform/rate-limit.ts'
import { rateHeaders } from '../../../platform/rate-limit.ts'
import { apiPath } from '../paths.ts'
import { type SignatureVerifier, signableRequest } from '../signed-request.ts'

type CatalogueRoutes = { db: Db; verifier: SignatureVerifier; limits: RateLimit }

export function catalogueRoutes(app: Http, { db, verifier, limits }: CatalogueRoutes): void {
  /** Requests without a merchant share one query: a flood of them takes one connection. */
  const readPublic = batched(
    async ([nobody]) =>
      new Map([
        [nobody!, { catalogue: await readCatalogue(db, null), available: await readAvailable(db, null) }],
      ]),
    { most: 1, atOnce: 1 },
  )

  app.get(apiPath.route('/requests/limit'), async (request, reply) => {
    const incoming = signableRequest(request)
    const query = readQuery(request, [...signedFields.limit, 'signature'])
    const signature = query.get('signature')
    query.delete('signature')
    const isSigned = incoming.signatures.length > 0 || signature !== undefined || query.has('merchant')
    if (!isSigned) {
      await limitedByAddress(limits)(request, reply)
      const { catalogue, available } = (await readPublic(''))!
      return answer(catalogue, available, query)
    }
    const signed = await verifier.verify(incoming, {
      operation: 'limit',
      values: query,
      bodySignature: signature,
    })
    reply.headers(rateHeaders('merchant', signed.rate))
    const { id } = signed.merchant
    return answer(signed.catalogue, await readAvailable(db, id), query)
  })
}

function answer(catalogue: Catalogue, available: ReadonlySet<string>, query: ReadonlyMap<string, string>) {
  const limits = catalogue.limits.filter(
    (limit) =>
      (!query.get('currency') || limit.currency === query.get('currency')) &&
      (!query.get('payment_type') || limit.paymentType === query.get('payment_type')),
  )
  return {
    currencies: [...new Set(limits.map((limit) => limit.currency))],
    payment_types: [...new Set(limits.map((limit) => limit.paymentType))],
    limits: limits.map((limit) => ({
      operation: flowOf(catalogue.types.get(limit.paymentType)!),
      currency: limit.currency,
      payment_type: limit.paymentType,
      min_cents: Number(limit.minCents),
      max_cents: Number(limit.maxCents),
      available: isAvailable(catalogue, available, limit),
    })),
  }
}

/** The selection flow is available while any of its types is. */
function isAvailable(
  { types, limits }: Catalogue,
  available: ReadonlySet<string>,
  asked: PaymentLimit,
): boolean {
  const served = (limit: PaymentLimit) => available.has(`${limit.paymentType}:${limit.currency}`)
  if (flowOf(types.get(asked.paymentType)!) === 'create') return served(asked)
  return limits.some((limit) => limit.currency === asked.currency && served(limit))
}
