import type { EndpointManners } from './model-rules.js';

/** An error as OpenAI words it. */
interface ParameterError {
  message: string;
  type: 'invalid_request_error';
  param: string;
  code: string | null;
}

/** The 400 an endpoint of these manners answers such parameters with; null where it takes them all. */
export function refusedParameter(
  parameters: Readonly<Record<string, unknown>>,
  endpoint: EndpointManners | undefined,
): ParameterError | null {
  if (endpoint === undefined) return null;
  const { outputCap, refuses } = endpoint;
  if (outputCap === 'max_completion_tokens' && parameters.max_tokens !== undefined)
    return unsupported('max_tokens', " Use 'max_completion_tokens' instead.");
  if (outputCap === 'max_tokens' && parameters.max_completion_tokens !== undefined)
    return unknown('max_completion_tokens');
  const param = refuses.find((name) => parameters[name] !== undefined);
  if (param === undefined) return null;
  if (param === 'response_format')
    return refusal(
      param,
      null,
      "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model.",
    );
  return param === 'stream_options' || param === 'reasoning_effort' ? unknown(param) : unsupported(param);
}

/** Of reasoning models: o1, o3-mini and their successors. */
const unsupported = (param: string, instead = ''): ParameterError =>
  refusal(
    param,
    'unsupported_parameter',
    `Unsupported parameter: '${param}' is not supported with this model.${instead}`,
  );

/** Of endpoints that are older than the parameter. */
const unknown = (param: string): ParameterError =>
  refusal(param, null, `Unrecognized request argument supplied: ${param}`);

const refusal = (param: string, code: string | null, message: string): ParameterError => ({
  ...{ message, type: 'invalid_request_error', param, code },
});
