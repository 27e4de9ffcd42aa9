/** The health of the process, as the OpenAPI document describes it. */
import { type Paths, problemResponses, type Schema } from '../operation.ts'

export const healthPaths = (): Paths => ({
  '/health/live': {
    get: {
      operationId: 'live',
      tags: ['Health'],
      summary: 'Is the process there?',
      description: 'Answers as long as the process runs. Not rate-limited.',
      security: [{}],
      parameters: [],
      responses: {
        200: {
          description: 'It is.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['live'],
                properties: { live: { type: 'boolean', const: true } },
              },
              example: { live: true },
            },
          },
        },
        ...problemResponses(['malformed_request', 'headers_too_large']),
      },
    },
  },
  '/health/ready': {
    get: {
      operationId: 'ready',
      tags: ['Health'],
      summary: 'Can it do its work?',
      description:
        'Asks the database. After a write was refused for want of disk space, a write that needs space must succeed first. A process that is about to end is not ready. Not rate-limited.',
      security: [{}],
      parameters: [],
      responses: {
        200: {
          description: 'Yes.',
          content: {
            'application/json': { schema: readiness, example: { ready: true, database: 'reachable' } },
          },
        },
        503: {
          description: 'No: the database cannot be reached (`away`), or its disk is full (`full`).',
          content: { 'application/json': { schema: readiness, example: { ready: false, database: 'away' } } },
        },
        ...problemResponses(['malformed_request', 'headers_too_large']),
      },
    },
  },
})

const readiness: Schema = {
  type: 'object',
  required: ['ready', 'database'],
  properties: { ready: { type: 'boolean' }, database: { enum: ['reachable', 'full', 'away'] } },
}
