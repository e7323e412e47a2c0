include $(sort $(wildcard $(BR2_EXTERNAL_CLEAT_PATH)/package/*/*.mk))
