import type { ModelChoice } from './events.ts';

/**
 * A provider this program can talk to. `keyVariables` are tried in order; a provider without any needs no key. `suggestion` is a
 * model to offer when a key is all there is: it only saves typing and may be out of date, the provider's own list decides.
 */
export interface ProviderFacts {
  id: string;
  /** As shown. */
  label: string;
  api: ModelChoice['api'];
  baseUrl: string;
  keyVariables: readonly string[];
  /** Variables that move the endpoint, tried in order. */
  urlVariables?: readonly string[];
  /** Other spellings in `provider:`. */
  aliases?: readonly string[];
  /** Beginnings of model names that only this provider's own endpoint serves. */
  modelPrefixes?: readonly string[];
  suggestion?: string;
  /** Runs on this machine. */
  isLocal?: boolean;
}

/** Names and key variables: state-db.md 11; addresses: the providers' own documentation. Order = order of the list shown. */
export const PROVIDERS: readonly ProviderFacts[] = [
  {
    id: 'openrouter',
    label: 'OpenRouter',
    api: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    urlVariables: ['OPENROUTER_BASE_URL'],
    suggestion: 'openai/gpt-5-mini',
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    api: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    urlVariables: ['ANTHROPIC_BASE_URL'],
    aliases: ['claude'],
    modelPrefixes: ['claude-'],
    suggestion: 'claude-sonnet-4-5',
  },
  {
    id: 'openai',
    label: 'OpenAI',
    api: 'openai-compatible',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    urlVariables: ['OPENAI_BASE_URL'],
    modelPrefixes: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4'],
    suggestion: 'gpt-5-mini',
  },
  {
    id: 'gemini',
    label: 'Google Gemini',
    api: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    urlVariables: ['GEMINI_BASE_URL'],
    aliases: ['google', 'google-gemini'],
    modelPrefixes: ['gemini-'],
    suggestion: 'gemini-2.5-flash',
  },
  {
    id: 'nous',
    label: 'Nous Research',
    api: 'openai-compatible',
    baseUrl: 'https://inference-api.nousresearch.com/v1',
    keyVariables: ['NOUS_API_KEY'],
    urlVariables: ['NOUS_BASE_URL'],
    aliases: ['nous-api'],
    modelPrefixes: ['hermes-'],
    suggestion: 'Hermes-4-70B',
  },
  {
    id: 'deepseek',
    label: 'DeepSeek',
    api: 'openai-compatible',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariables: ['DEEPSEEK_API_KEY'],
    urlVariables: ['DEEPSEEK_BASE_URL'],
    modelPrefixes: ['deepseek-'],
    suggestion: 'deepseek-chat',
  },
  {
    id: 'xai',
    label: 'xAI',
    api: 'openai-compatible',
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY'],
    urlVariables: ['XAI_BASE_URL'],
    aliases: ['grok', 'x-ai'],
    modelPrefixes: ['grok-'],
    suggestion: 'grok-4',
  },
  {
    id: 'zai',
    label: 'Z.AI',
    api: 'openai-compatible',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariables: ['GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'],
    urlVariables: ['GLM_BASE_URL'],
    aliases: ['glm', 'z-ai', 'zhipu'],
    modelPrefixes: ['glm-'],
    suggestion: 'glm-4.6',
  },
  {
    id: 'kimi',
    label: 'Kimi (Moonshot)',
    api: 'openai-compatible',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyVariables: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
    urlVariables: ['KIMI_BASE_URL'],
    aliases: ['moonshot', 'kimi-coding'],
    modelPrefixes: ['kimi-', 'moonshot-'],
    suggestion: 'kimi-k2-0905-preview',
  },
  {
    id: 'kimi-cn',
    label: 'Kimi (China)',
    api: 'openai-compatible',
    baseUrl: 'https://api.moonshot.cn/v1',
    keyVariables: ['KIMI_CN_API_KEY'],
    aliases: ['kimi-coding-cn'],
  },
  {
    id: 'minimax',
    label: 'MiniMax',
    api: 'openai-compatible',
    baseUrl: 'https://api.minimax.io/v1',
    keyVariables: ['MINIMAX_API_KEY'],
    urlVariables: ['MINIMAX_BASE_URL'],
    modelPrefixes: ['minimax-'],
    suggestion: 'MiniMax-M2',
  },
  {
    id: 'minimax-cn',
    label: 'MiniMax (China)',
    api: 'openai-compatible',
    baseUrl: 'https://api.minimaxi.com/v1',
    keyVariables: ['MINIMAX_CN_API_KEY'],
    urlVariables: ['MINIMAX_CN_BASE_URL'],
  },
  {
    id: 'alibaba',
    label: 'Alibaba DashScope',
    api: 'openai-compatible',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY'],
    urlVariables: ['DASHSCOPE_BASE_URL'],
    aliases: ['dashscope'],
    modelPrefixes: ['qwen-', 'qwen3-', 'qwq-'],
    suggestion: 'qwen-plus',
  },
  {
    id: 'nvidia',
    label: 'NVIDIA NIM',
    api: 'openai-compatible',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyVariables: ['NVIDIA_API_KEY'],
    urlVariables: ['NVIDIA_BASE_URL'],
  },
  {
    id: 'huggingface',
    label: 'Hugging Face',
    api: 'openai-compatible',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariables: ['HF_TOKEN'],
    urlVariables: ['HF_BASE_URL'],
    aliases: ['hf'],
  },
  {
    id: 'xiaomi',
    label: 'Xiaomi MiMo',
    api: 'openai-compatible',
    baseUrl: 'https://api.xiaomimimo.com/v1',
    keyVariables: ['XIAOMI_API_KEY'],
    modelPrefixes: ['mimo-'],
  },
  { id: 'stepfun', label: 'StepFun', api: 'openai-compatible', baseUrl: 'https://api.stepfun.ai/v1', keyVariables: ['STEPFUN_API_KEY'] },
  { id: 'arcee', label: 'Arcee', api: 'openai-compatible', baseUrl: 'https://api.arcee.ai/api/v1', keyVariables: ['ARCEEAI_API_KEY'] },
  {
    id: 'kilocode',
    label: 'Kilo Code',
    api: 'openai-compatible',
    baseUrl: 'https://api.kilo.ai/api/gateway',
    keyVariables: ['KILOCODE_API_KEY'],
  },
  {
    id: 'ollama-cloud',
    label: 'Ollama Cloud',
    api: 'openai-compatible',
    baseUrl: 'https://ollama.com/v1',
    keyVariables: ['OLLAMA_API_KEY'],
  },
  {
    id: 'ollama',
    label: 'Ollama',
    api: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariables: [],
    urlVariables: ['OLLAMA_BASE_URL'],
    isLocal: true,
  },
  {
    id: 'lmstudio',
    label: 'LM Studio',
    api: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariables: ['LM_API_KEY'],
    urlVariables: ['LM_BASE_URL'],
    aliases: ['lm-studio'],
    isLocal: true,
  },
  {
    id: 'llamacpp',
    label: 'llama.cpp',
    api: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
    keyVariables: [],
    aliases: ['llama.cpp', 'llama-cpp'],
    isLocal: true,
  },
  { id: 'vllm', label: 'vLLM', api: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1', keyVariables: [], isLocal: true },
];

/** Providers of Hermes Agent that need a sign-in or a wire format this program does not have; named instead of failing oddly. */
export const UNSUPPORTED_PROVIDERS: readonly string[] = [
  'openai-codex',
  'copilot',
  'copilot-acp',
  'azure-foundry',
  'bedrock',
  'vertex',
  'qwen-oauth',
  'nous-portal',
];

/** `CLAUDE_CODE_OAUTH_TOKEN` and `ANTHROPIC_TOKEN` are bearer tokens, not keys. */
export const BEARER_VARIABLES: readonly string[] = ['ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/** The provider written as `name` in `provider:`, by id or alias, any case; absent when unknown. */
export function findProvider(name: string): ProviderFacts | undefined {
  const wanted = name.trim().toLowerCase();
  return PROVIDERS.find((facts) => facts.id === wanted || facts.aliases?.includes(wanted));
}

/** The provider whose own endpoint serves a model of that name, judged by its beginning; absent for names many serve. */
export function findProviderOfModel(model: string): ProviderFacts | undefined {
  const name = model.toLowerCase();
  return PROVIDERS.find((facts) => facts.modelPrefixes?.some((prefix) => name.startsWith(prefix)));
}
